import { FileX } from 'lucide-react';

/** Asks before removing a governed document, because its text is gone for good. */
export function RemoveSource({ sourceKey, name }: { sourceKey: string; name: string }) {
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        <FileX className="icon size-5 text-ink-3" />
        <h1 className="mt-3 text-h1 wrap-anywhere">Remove {name}?</h1>
        <p className="mt-2 text-body text-ink-2">
          Its text is deleted at once. A paid check that has not retrieved it yet fails at no charge. Reports that used
          it keep its name and digest.
        </p>
        <form action="/sources/remove" method="post" className="mt-6 grid gap-3 sm:grid-cols-2">
          <input type="hidden" name="source_key" value={sourceKey} />
          <a href="/sources" className="btn btn-lg">
            Keep it
          </a>
          <button type="submit" className="btn btn-danger btn-lg">
            Remove document
          </button>
        </form>
      </div>
    </div>
  );
}
