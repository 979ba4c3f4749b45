/** Deletes submitted content early: a link opens the question, a button confirms. */
export function DeleteContent({ jobKey }: { jobKey: string }) {
  return (
    <details className="mt-3 text-dense print:hidden">
      <summary className="cursor-pointer py-0.5 font-medium">Delete the work and the evidence now</summary>
      <form action={`/reports/${jobKey}/delete-content`} method="post" className="mt-2 space-y-3">
        <p className="text-ink-2">
          The full texts are erased now. The report stays, with the short passages it quotes. This cannot be undone.
        </p>
        <button type="submit" className="btn btn-danger">
          Delete work and evidence
        </button>
      </form>
    </details>
  );
}
