import { measuredText } from '@/components/purchases/measured-words.ts';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { show } from '../../show.tsx';
import { readForOperator, roleNow, titled } from '../operator.ts';

export const generateMetadata = titled('Quality');

const readQuality = () => readForOperator('console_quality', {});
type Quality = Awaited<ReturnType<typeof readQuality>>;

/** Report quality: by buyers, by operators, by measurement. */
export default show(async () => {
  const quality = await readQuality();
  const role = await roleNow();
  return (
    <div className="space-y-8">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-h1">Quality</h1>
        {may(role, 'console_findings') ? (
          <a className="btn ml-auto" href="/console/quality/findings">
            Judge findings
          </a>
        ) : (
          <span className="ml-auto text-dense text-ink-3">{neededFor('console_findings')}</span>
        )}
      </div>
      <section aria-labelledby="weeks">
        <h2 id="weeks" className="text-h2">
          Reports by week
        </h2>
        <Weeks weeks={quality.weeks} />
      </section>
      <section aria-labelledby="labels">
        <h2 id="labels" className="text-h2">
          Judged findings
        </h2>
        {quality.labels.length === 0 ? <p className="mt-2 text-ink-3">Nobody has judged a finding yet.</p> : null}
        <ul className="mt-3 border-t border-ink text-dense">
          {quality.labels.map(({ status, right, wrong }) => (
            <li key={status} className="flex flex-wrap items-center gap-x-4 border-b border-line py-2.5">
              <State kind="finding" value={status} />
              <span className="ml-auto tabular-nums">
                {right} right, {wrong} wrong
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="measured" className="max-w-read">
        <h2 id="measured" className="text-h2">
          Measured accuracy
        </h2>
        <p className="mt-2 text-ink-2">This configuration: {quality.configuration}.</p>
        <p className="mt-2 text-ink-2">
          {quality.measured ? measuredText(quality.measured, 'that runs here') : 'Its accuracy has not been measured.'}
        </p>
      </section>
    </div>
  );
});

const share = (part: number, whole: number): string => (whole === 0 ? 'none' : `${Math.round((100 * part) / whole)}%`);

function Weeks({ weeks }: { weeks: Quality['weeks'] }) {
  if (weeks.length === 0) return <p className="mt-2 text-ink-3">No report was delivered in these weeks.</p>;
  return (
    <ul className="mt-3 border-t border-ink text-dense">
      {weeks.map((week) => (
        <li key={week.from} className="border-b border-line py-2.5">
          <p className="flex flex-wrap gap-x-4 tabular-nums">
            <span className="font-medium">From {week.from.slice(0, 10)}</span>
            <span>{counted(week.reports, 'report')}</span>
            <span>
              {week.disputed} of {week.reviewed} reviewed disputed ({share(week.disputed, week.reviewed)})
            </span>
            <span>
              {week.corrected} of {week.rechecked} re-checks came to another verdict
            </span>
          </p>
          <p className="mt-1 flex flex-wrap gap-x-5 gap-y-1">
            {week.verdicts.map(({ value, count }) => (
              <span key={value} className="inline-flex items-center gap-2 tabular-nums">
                <State kind="verdict" value={value} /> {count} ({share(count, week.reports)})
              </span>
            ))}
          </p>
        </li>
      ))}
    </ul>
  );
}
