import { Row, RowAct, RowList } from '@/components/console/Rows.tsx';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../operator.ts';
import { Told } from '../Told.tsx';

export const generateMetadata = titled('Failed jobs');

const readFailures = (kind: string | null) => readForOperator('console_failures', { kind });
type Failures = Awaited<ReturnType<typeof readFailures>>;

/** Failed jobs, retried jobs, and letters that could not be sent. */
export default show(async ({ searchParams }: { searchParams: Promise<{ kind?: string | string[] }> }) => {
  const { kind: asked } = await searchParams;
  const kind = typeof asked === 'string' && asked !== '' ? asked : null;
  const failures = await readFailures(kind);
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  return (
    <div className="space-y-8">
      <div>
        <Told page="/console/failures" done="Queued again, and recorded in the audit log." />
        <h1 className="text-h1">Failed jobs</h1>
      </div>
      <Jobs
        id="failed"
        title="Jobs that failed in the last month"
        advice="Their payments were returned, or are being returned."
        jobs={failures.failed}
        now={ctx.now}
      />
      <Jobs
        id="again"
        title="Jobs being retried"
        advice="Their worker stopped before finishing, or the check crashed. They fail at their deadline."
        jobs={failures.tried_again}
        now={ctx.now}
      />
      <Letters
        failures={failures}
        kind={kind}
        now={ctx.now}
        may={may(role, 'retry_letters') ? null : neededFor('retry_letters')}
      />
    </div>
  );
});

interface JobsProps {
  id: string;
  title: string;
  advice: string;
  jobs: Failures['failed'];
  now: Date;
}

function Jobs({ id, title, advice, jobs, now }: JobsProps) {
  return (
    <RowList id={id} title={title} advice={advice} nothing="None." shown={jobs.rows.length} total={jobs.total}>
      {jobs.rows.map((job) => (
        <Row key={job.job_key} at={job.at} now={now} microcents={job.amount_microcents}>
          <State kind="job" value={job.state} />
          <span className="min-w-0 wrap-anywhere">
            <a className="link" href={`/console/purchases/${job.job_key}`}>
              <Key>{job.job_key}</Key>
            </a>
            <span className="block text-ink-3">
              {job.failure ?? 'No failure recorded.'} {counted(job.tries, 'try', 'tries')}
            </span>
          </span>
          <span className="ml-auto">
            <State kind="payment" value={job.payment_state} />
          </span>
        </Row>
      ))}
    </RowList>
  );
}

const words = (kind: string): string => kind.replaceAll('_', ' ');

function Letters({
  failures: { letters, kinds },
  kind,
  now,
  may: obstacle,
}: {
  failures: Failures;
  kind: string | null;
  now: Date;
  may: string | null;
}) {
  return (
    <div>
      <RowList
        id="letters"
        title="Letters that could not be sent"
        advice="We retried them for a quarter of an hour. A letter that was sent is not sent twice."
        nothing="Every letter was sent."
        shown={letters.rows.length}
        total={letters.total}
      >
        {letters.rows.map((letter) => (
          <Row key={letter.letter_id} at={letter.at} now={now}>
            <span className="min-w-0 wrap-anywhere">
              {words(letter.kind)}, {counted(letter.tries, 'try', 'tries')}
              <span className="block text-ink-3">{letter.error ?? 'No error recorded'}</span>
            </span>
            <RowAct href={`/console/failures/retry?letter_id=${letter.letter_id}`} may={obstacle}>
              Send again
            </RowAct>
          </Row>
        ))}
      </RowList>
      {letters.total > 0 ? (
        <p className="mt-4 flex flex-wrap items-center gap-3 text-dense">
          {kinds.map(({ value, count }) => (
            <a
              key={value}
              className="tab min-h-8"
              href={`/console/failures?${new URLSearchParams({ kind: value })}#letters`}
              aria-current={kind === value || undefined}
            >
              {words(value)} ({count})
            </a>
          ))}
          {kind ? (
            <a className="tab min-h-8" href="/console/failures#letters">
              All kinds
            </a>
          ) : null}
          <RowAct href={`/console/failures/retry${kind ? `?${new URLSearchParams({ kind })}` : ''}`} may={obstacle}>
            {kind ? `Send all of kind ${words(kind)} again` : 'Send all again'}
          </RowAct>
        </p>
      ) : null}
    </div>
  );
}
