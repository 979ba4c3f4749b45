import { Check, Minus } from 'lucide-react';
import { bounds } from '@/server/work-check/contract.ts';
import type { Offer } from './offer.ts';

const checked = [
  ['Each statement in the work is compared with the evidence', `up to ${bounds.statements} statements`],
  ['Every criterion you state gets a finding', `up to ${bounds.criteria} criteria`],
  [
    'Every citation names evidence you supplied, or a source the service retrieved under your grant',
    `up to ${bounds.evidence_items} items`,
  ],
  ['Evidence is complete, named and not duplicated', 'always'],
  ['Evidence is recent enough', 'when you set a maximum age'],
  ['Structure fits your schema', 'when you send one'],
] as const;

const notOffered = [
  'Certification of the work, or of an agent’s reliability',
  'Running, testing or validating software',
  'Confirming that an action happened in another system',
  'Legal, medical or financial opinions',
  'Fetching of web addresses. You supply the text',
] as const;

/** The assessor, the criteria it can decide, and its measured accuracy. */
function Assessor({ assessment: { assessor, decides, accuracy } }: Pick<Offer, 'assessment'>) {
  return (
    <div className="mt-10">
      <h3 className="border-b border-ink pb-3 text-h3">Who decides: {assessor}</h3>
      <dl>
        {decides.map(({ kind, decides: what }) => (
          <div key={kind} className="grid gap-x-4 border-b border-line py-3 md:grid-cols-[10rem_minmax(0,1fr)]">
            <dt className="font-medium">{kind}</dt>
            <dd className="text-ink-2">{what}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 max-w-[48rem]">
        English only. If the check cannot settle a statement, the report says so. That is not an accusation.
      </p>
      <h3 className="mt-10 border-b border-ink pb-3 text-h3">Measured accuracy</h3>
      <p className="mt-4 max-w-[48rem]">{accuracy}</p>
      <p className="mt-3 max-w-[48rem] text-ink-2">
        What is not decided is left open, and the report says so. Read each finding before you act on it; it quotes its
        evidence.{' '}
        <a href="/docs#read" className="link">
          What the words of a report mean{' '}
        </a>
      </p>
    </div>
  );
}

export function Scope({ assessment }: Pick<Offer, 'assessment'>) {
  return (
    <section id="scope" className="mx-auto max-w-page px-4 py-16 md:px-6 lg:py-24">
      <h2 className="text-h1">What is checked, and what is not</h2>
      <p className="mt-3 max-w-[38rem] text-body text-ink-2">
        The service compares text or structured work with the request and the evidence you name. It does not vouch for
        anything beyond that.
      </p>
      <div className="mt-10 grid gap-x-16 gap-y-10 md:grid-cols-2">
        <div>
          <h3 className="border-b border-ink pb-3 text-h3">Checked</h3>
          <ul>
            {checked.map(([what, when]) => (
              <li key={what} className="flex gap-3 border-b border-line py-3">
                <Check className="icon mt-0.5 text-settled" />
                <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
                  <span className="min-w-28 flex-1">{what}</span>
                  <span className="ml-auto w-32 text-right text-dense text-ink-3">{when}</span>
                </span>
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h3 className="border-b border-ink pb-3 text-h3">Not offered</h3>
          <ul>
            {notOffered.map((what) => (
              <li key={what} className="flex gap-3 border-b border-line py-3">
                <Minus className="icon mt-0.5 text-ink-3" />
                <span className="min-w-0 wrap-anywhere">{what}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <Assessor assessment={assessment} />
    </section>
  );
}
