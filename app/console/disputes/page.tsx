import { relativeText } from '@/components/console/Moment.tsx';
import { Row, RowList } from '@/components/console/Rows.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { Dispute } from '@/server/console/contract/disputes.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Disputes');

/** Disputed card payments. */
export default show(async () => {
  const { open, closed } = await readForOperator('console_disputes', {});
  const { ctx } = await operatorContext();
  return (
    <div className="space-y-8">
      <h1 className="text-h1">Disputes</h1>
      <RowList
        id="open"
        title="Open"
        advice="Answer each before its deadline, or it is lost."
        nothing="No open disputes."
        shown={open.rows.length}
        total={open.total}
      >
        {open.rows.map((dispute) => (
          <Line key={dispute.dispute_key} dispute={dispute} now={ctx.now} />
        ))}
      </RowList>
      <RowList
        id="closed"
        title="Ended"
        advice="Newest first."
        nothing="No closed disputes yet."
        shown={closed.rows.length}
        total={closed.total}
      >
        {closed.rows.map((dispute) => (
          <Line key={dispute.dispute_key} dispute={dispute} now={ctx.now} />
        ))}
      </RowList>
    </div>
  );
});

/** A dispute's state in words. */
function standing({ closed_at, outcome, answered_at, respond_by }: Dispute, now: Date): string {
  if (closed_at) return outcome === 'won' ? 'Won: the payment stands.' : 'Lost: the payment is gone.';
  if (answered_at) return 'Answered. The bank decides.';
  return respond_by ? `Answer due ${relativeText(respond_by, now)}.` : 'Answer due.';
}

function Line({ dispute, now }: { dispute: Dispute; now: Date }) {
  return (
    <Row at={dispute.opened_at} now={now} microcents={dispute.amount_microcents}>
      <span className="min-w-0 wrap-anywhere">
        <a className="link" href={`/console/disputes/${dispute.dispute_key}`}>
          <Key>{dispute.dispute_key}</Key>
        </a>
        <span className="block text-ink-3">{(dispute.reason ?? 'no reason given').replaceAll('_', ' ')}</span>
      </span>
      <span className="ml-auto">{standing(dispute, now)}</span>
      {dispute.block_key ? <span className="text-ink-3">Its account is blocked.</span> : null}
    </Row>
  );
}
