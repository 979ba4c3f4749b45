import { ChainTable } from '@/components/console/ChainTable.tsx';
import { Row, RowAct, RowList } from '@/components/console/Rows.tsx';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../operator.ts';
import { Told } from '../Told.tsx';

export const generateMetadata = titled('Money in doubt');

const readMoney = () => readForOperator('console_money', {});

interface MoneyProps {
  money: Awaited<ReturnType<typeof readMoney>>;
  now: Date;
  role: Awaited<ReturnType<typeof roleNow>>;
}

/** All money that needs an operator. */
export default show(async () => {
  const money = await readMoney();
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const props = { money, now: ctx.now, role };
  return (
    <div className="space-y-8">
      <div>
        <Told page="/console/money" done="Done, and recorded in the audit log." />
        <h1 className="text-h1">Money in doubt</h1>
        <p className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-dense">
          <a className="link inline-flex min-h-6 items-center" href="/console/disputes">
            Disputes
          </a>
          <a className="link inline-flex min-h-6 items-center" href="/console/ledger">
            Ledger and its differences
          </a>
        </p>
        <div className="panel mt-5">
          <ChainTable chains={money.chains} now={ctx.now} />
        </div>
      </div>
      <InDoubt {...props} />
      <Unmatched {...props} />
      <Departures {...props} />
      <Refunds {...props} />
      <Blocks {...props} />
    </div>
  );
});

function JobLink({ jobKey }: { jobKey: string }) {
  return (
    <a className="link wrap-anywhere" href={`/console/purchases/${jobKey}`}>
      <Key>{jobKey}</Key>
    </a>
  );
}

/** Payments with an unknown outcome. */
function InDoubt({ money, now }: MoneyProps) {
  const inDoubt = {
    rows: [...money.unknown.rows, ...money.payments.rows],
    total: money.unknown.total + money.payments.total,
  };
  return (
    <RowList id="payments" title="Payments in doubt" advice="Open one to ask the provider again." {...sized(inDoubt)}>
      {inDoubt.rows.map((row) => (
        <Row key={row.payment_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <State kind="payment" value="unknown" /> <JobLink jobKey={row.job_key} />
          <span className="text-ink-3">{row.network}</span>
          <a className="btn btn-sm ml-auto" href={`/console/purchases/${row.job_key}/act/ask_again`}>
            Ask again
          </a>
        </Row>
      ))}
    </RowList>
  );
}

/** Arrivals that match no payment. */
function Unmatched({ money, now, role }: MoneyProps) {
  return (
    <RowList
      id="unmatched"
      title="Transfers to us that match no payment"
      advice="Find out what each is for, or return it to its sender."
      {...sized(money.arrivals)}
    >
      {money.arrivals.rows.map((row) => {
        const name = { network: row.network, transaction: row.transaction, position: String(row.position) };
        return (
          <Row key={`${row.transaction} ${row.position}`} at={row.seen_at} now={now} microcents={row.amount_microcents}>
            <span className="min-w-0 wrap-anywhere">
              from <Key>{row.other}</Key> on {row.network}
              <span className="key block text-ink-3">{row.transaction}</span>
            </span>
            <RowAct
              href={`/console/money/give-back?${new URLSearchParams(name)}`}
              may={may(role, 'give_back') ? null : neededFor('give_back')}
            >
              Give back
            </RowAct>
          </Row>
        );
      })}
    </RowList>
  );
}

/** Departures that no refund explains. */
function Departures({ money, now }: MoneyProps) {
  return (
    <RowList
      id="departures"
      title="Transfers from us that no refund explains"
      advice="If an operator withdrew it, record that: npm run money -- withdrawal NETWORK TX. If not, somebody else has the key."
      {...sized(money.departures)}
    >
      {money.departures.rows.map((row) => (
        <Row key={`${row.transaction} ${row.position}`} at={row.seen_at} now={now} microcents={row.amount_microcents}>
          <span className="min-w-0 wrap-anywhere">
            to <Key>{row.other}</Key> on {row.network}
            <span className="key block text-ink-3">{row.transaction}</span>
          </span>
        </Row>
      ))}
    </RowList>
  );
}

const waitWords: Record<MoneyProps['money']['refunds']['rows'][number]['waits_for'], string> = {
  person: 'Not retried: return the amount by hand, then record it here.',
  dispute: 'Waiting for the dispute to end.',
  arrival: 'Waiting for the chain to show the transfer again.',
  finality: 'Waiting for the incoming transfer to become final.',
  transfer: 'Waiting for the return transfer that was sent.',
  try: 'Waiting for the next try.',
};

/** Pending and failed refunds. */
function Refunds({ money, now, role }: MoneyProps) {
  return (
    <RowList
      id="refunds"
      title="Open refunds"
      advice="Pending ones are retried. Send failed ones by hand, or keep them as credit where the customer agrees, and close them."
      {...sized(money.refunds)}
    >
      {money.refunds.rows.map((row) => (
        <Row key={row.refund_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <State kind="payment" value={row.state} />
          <span className="min-w-0 wrap-anywhere">
            {row.job_key ? <JobLink jobKey={row.job_key} /> : <Key>{row.refund_key}</Key>} to <Key>{row.payer}</Key>,{' '}
            {counted(row.tries, 'try', 'tries')}
            <span className="block text-ink-3">
              {waitWords[row.waits_for]}
              {row.failure ? ` ${row.failure}` : ''}
            </span>
          </span>
          {row.waits_for === 'person' ? (
            <RowAct
              href={`/console/refunds/${row.refund_key}`}
              may={may(role, 'settle_refund') ? null : neededFor('settle_refund')}
            >
              Sent by hand
            </RowAct>
          ) : null}
          {row.waits_for === 'person' && row.job_key && may(role, 'settle_refund') ? (
            <RowAct href={`/console/refunds/${row.refund_key}?as=wallet_credit`} may={null}>
              Keep as credit
            </RowAct>
          ) : null}
        </Row>
      ))}
    </RowList>
  );
}

/** Purchase blocks. */
function Blocks({ money, now, role }: MoneyProps) {
  return (
    <RowList id="blocks" title="Purchase blocks" advice="Lift one once its cause is settled." {...sized(money.blocks)}>
      {money.blocks.rows.map((row) => (
        <Row key={row.block_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <span className="min-w-0 wrap-anywhere">
            {row.cause.replaceAll('_', ' ')}, <Key>{row.account_key ?? row.payer ?? ''}</Key>
          </span>
          <RowAct
            href={`/console/blocks/${row.block_key}`}
            may={may(role, 'lift_block') ? null : neededFor('lift_block')}
          >
            Lift
          </RowAct>
        </Row>
      ))}
    </RowList>
  );
}

const sized = ({ rows, total }: { rows: readonly unknown[]; total: number }) => ({ shown: rows.length, total });
