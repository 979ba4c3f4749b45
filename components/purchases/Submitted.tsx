import type { Evidence } from '@/server/purchases/contract.ts';

type Text = string | object;

/** As submitted: text unchanged, JSON indented. */
const shown = (text: Text) => (typeof text === 'string' ? text : JSON.stringify(text, null, 2));

/** A report's request and criteria, until deleted. The work has its own place on the page. */
export function Submitted({ submitted: { request, criteria } }: { submitted: NonNullable<Evidence['submitted']> }) {
  return (
    <>
      {request === null ? null : (
        <section aria-label="Request">
          <h3 className="text-h3">Request</h3>
          <pre className="verbatim mt-2 border border-line p-4 wrap-anywhere whitespace-pre-wrap">{shown(request)}</pre>
        </section>
      )}
      {criteria.length === 0 ? null : (
        <section aria-label="Criteria" className="mt-4">
          <h3 className="text-h3">Criteria</h3>
          <ol className="mt-2 list-decimal space-y-1 pl-6 wrap-anywhere">
            {criteria.map((criterion) => (
              <li key={shown(criterion)}>{shown(criterion)}</li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
