import type { ReactNode } from 'react';
import { ChainTable } from '@/components/console/ChainTable.tsx';
import { Moment } from '@/components/console/Moment.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may, neededFor } from '@/server/console/roles.ts';
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

/** Money that waits for somebody, in one place. */
export default show(async () => {
  const money = await readMoney();
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const props = { money, now: ctx.now, role };
  return (
    <div className="space-y-8">
      <div>
        <Told page="/console/money" done="Done, and kept in the audit log." />
        <h1 className="text-h1">Money in doubt</h1>
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

/** Payments whose outcome nobody knows. */
function InDoubt({ money, now }: MoneyProps) {
  const inDoubt = {
    rows: [...money.unknown.rows, ...money.payments.rows],
    total: money.unknown.total + money.payments.total,
  };
  return (
    <List id="payments" title="Payments in doubt" advice="Their page asks the provider again." {...sized(inDoubt)}>
      {inDoubt.rows.map((row) => (
        <Line key={row.payment_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <State kind="payment" value="unknown" /> <JobLink jobKey={row.job_key} />
          <span className="text-ink-3">{row.network}</span>
          <a className="btn btn-sm ml-auto" href={`/console/purchases/${row.job_key}/act/ask_again`}>
            Ask again
          </a>
        </Line>
      ))}
    </List>
  );
}

/** What arrived and matches no payment. */
function Unmatched({ money, now, role }: MoneyProps) {
  return (
    <List
      id="unmatched"
      title="Transfers to us that match no payment"
      advice="Find out what for, or give it back to who sent it."
      {...sized(money.arrivals)}
    >
      {money.arrivals.rows.map((row) => {
        const name = { network: row.network, transaction: row.transaction, position: String(row.position) };
        return (
          <Line
            key={`${row.transaction} ${row.position}`}
            at={row.seen_at}
            now={now}
            microcents={row.amount_microcents}
          >
            <span className="min-w-0 wrap-anywhere">
              from <Key>{row.other}</Key> on {row.network}
              <span className="key block text-ink-3">{row.transaction}</span>
            </span>
            {may(role, 'give_back') ? (
              <a className="btn btn-sm ml-auto" href={`/console/money/give-back?${new URLSearchParams(name)}`}>
                Give back
              </a>
            ) : (
              <span className="ml-auto text-ink-3">{neededFor('give_back')}</span>
            )}
          </Line>
        );
      })}
    </List>
  );
}

/** What left and no refund explains. */
function Departures({ money, now }: MoneyProps) {
  return (
    <List
      id="departures"
      title="Transfers from us that no refund explains"
      advice="Taken out by an operator: npm run money -- withdrawal NETWORK TX. Otherwise somebody else has the key."
      {...sized(money.departures)}
    >
      {money.departures.rows.map((row) => (
        <Line key={`${row.transaction} ${row.position}`} at={row.seen_at} now={now} microcents={row.amount_microcents}>
          <span className="min-w-0 wrap-anywhere">
            to <Key>{row.other}</Key> on {row.network}
            <span className="key block text-ink-3">{row.transaction}</span>
          </span>
        </Line>
      ))}
    </List>
  );
}

const waitWords: Record<MoneyProps['money']['refunds']['rows'][number]['waits_for'], string> = {
  person: 'Not tried again: give the amount back by hand.',
  dispute: 'Waits for the end of the dispute.',
  arrival: 'Waits until the chain shows the transfer again.',
  finality: 'Waits until what arrived is final on its chain.',
  transfer: 'Waits for the transfer back that was sent.',
  try: 'Waits for the next try.',
};

/** Refunds that wait or failed. */
function Refunds({ money, now }: MoneyProps) {
  return (
    <List
      id="refunds"
      title="Refunds that were not carried out"
      advice="Pending ones are tried again. Failed ones have to be paid by hand."
      {...sized(money.refunds)}
    >
      {money.refunds.rows.map((row) => (
        <Line key={row.refund_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <State kind="payment" value={row.state} />
          <span className="min-w-0 wrap-anywhere">
            {row.job_key ? <JobLink jobKey={row.job_key} /> : <Key>{row.refund_key}</Key>} to <Key>{row.payer}</Key>,{' '}
            {row.tries} tries
            <span className="block text-ink-3">
              {waitWords[row.waits_for]}
              {row.failure ? ` ${row.failure}` : ''}
            </span>
          </span>
        </Line>
      ))}
    </List>
  );
}

/** What keeps somebody from buying. */
function Blocks({ money, now, role }: MoneyProps) {
  return (
    <List
      id="blocks"
      title="Blocks that keep somebody from buying"
      advice="Lift one once its cause is settled."
      {...sized(money.blocks)}
    >
      {money.blocks.rows.map((row) => (
        <Line key={row.block_key} at={row.created_at} now={now} microcents={row.amount_microcents}>
          <span className="min-w-0 wrap-anywhere">
            {row.cause.replaceAll('_', ' ')}, <Key>{row.account_key ?? row.payer ?? ''}</Key>
          </span>
          {may(role, 'lift_block') ? (
            <a className="btn btn-sm ml-auto" href={`/console/blocks/${row.block_key}`}>
              Lift
            </a>
          ) : (
            <span className="ml-auto text-ink-3">{neededFor('lift_block')}</span>
          )}
        </Line>
      ))}
    </List>
  );
}

const sized = ({ rows, total }: { rows: readonly unknown[]; total: number }) => ({ shown: rows.length, total });

interface ListProps {
  id: string;
  title: string;
  advice: string;
  shown: number;
  total: number;
  children: ReactNode;
}

function List({ id, title, advice, shown, total, children }: ListProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="scroll-mt-16 text-h2">
        {title}: {total}
      </h2>
      <p className="text-dense text-ink-3">{total === 0 ? 'Nothing waits here.' : advice}</p>
      <ul className="mt-3 border-t border-ink text-dense">{children}</ul>
      {total > shown ? <p className="mt-2 text-dense text-ink-3">{total - shown} more.</p> : null}
    </section>
  );
}

interface LineProps {
  at: string;
  now: Date;
  microcents: number | null;
  children: ReactNode;
}

function Line({ at, now, microcents, children }: LineProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5">
      <span className="text-ink-3">
        <Moment at={at} now={now} />
      </span>
      <span className="tabular-nums">{microcents === null ? null : <Price microcents={microcents} />}</span>
      {children}
    </li>
  );
}
