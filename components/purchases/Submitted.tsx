import type { Evidence } from '@/server/purchases/contract.ts';

type Text = string | object;

/** As submitted: text unchanged, JSON indented. */
const shown = (text: Text) => (typeof text === 'string' ? text : JSON.stringify(text, null, 2));

/** A report's request and criteria, until deleted. The work follows below, statement by statement. */
export function Submitted({ submitted }: { submitted: NonNullable<Evidence['submitted']> }) {
  const { request, criteria } = submitted;
  if (request === null && criteria.length === 0) return null;
  return (
    <details className="mt-6 border-y border-line py-3">
      <summary className="cursor-pointer py-0.5 font-medium">What was asked for</summary>
      {request === null ? null : (
        <section aria-label="Request" className="mt-4">
          <h2 className="text-h3">Request</h2>
          <pre className="verbatim mt-2 border border-line p-4 wrap-anywhere whitespace-pre-wrap">{shown(request)}</pre>
        </section>
      )}
      {criteria.length === 0 ? null : (
        <section aria-label="Criteria" className="mt-4">
          <h2 className="text-h3">Criteria</h2>
          <ol className="mt-2 list-decimal space-y-1 pl-6 wrap-anywhere">
            {criteria.map((criterion) => (
              <li key={shown(criterion)}>{shown(criterion)}</li>
            ))}
          </ol>
        </section>
      )}
    </details>
  );
}
