import { Lock } from 'lucide-react';
import { obstaclesOf } from '@/components/console/agent-words.ts';
import { Cards, Endpoints, Letters, Purchases } from '@/components/console/CustomerRecords.tsx';
import { Moment, relativeText } from '@/components/console/Moment.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../../operator.ts';
import { Told } from '../../Told.tsx';

export const generateMetadata = titled('Customer');

const readCustomer = (account_key: string) => readForOperator('console_customers', { account_key });

/** A customer: its members, agents and purchases, and what blocks it. */
export default show(async ({ params }: { params: Promise<{ account_key: string }> }) => {
  const { account_key } = await params;
  const customer = await readCustomer(account_key);
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  const owner = customer.members.find((one) => one.role === 'owner') ?? customer.members[0];
  return (
    <div className="space-y-8 text-dense">
      <div>
        <h1 className="text-h1 wrap-anywhere">
          {owner ? owner.email : <Key>{customer.agents[0]?.agent_key ?? customer.account_key}</Key>}
        </h1>
        <Told page={`/console/customers/${account_key}`} done="Done, and recorded in the audit log." />
        <p className="mt-2 text-ink-3">
          <Key>{customer.account_key}</Key>, since <Moment at={customer.created_at} now={ctx.now} />
        </p>
        {customer.waivers > 0 ? <p className="mt-2 text-ink-3">{counted(customer.waivers, 'charge')} waived.</p> : null}
        {customer.closed ? (
          <p className="mt-2 text-ink-2 wrap-anywhere">
            Closed by {customer.closed.by} <Moment at={customer.closed.at} now={ctx.now} />. Paid checks still run, and
            reports that nobody decided about wait for an operator.
          </p>
        ) : null}
        <CannotBuy customer={customer} now={ctx.now} />
        <a className="btn mt-3" href={`/console/purchases?is=customer:${customer.account_key}`}>
          Its purchases
        </a>
      </div>
      <section aria-labelledby="members">
        <h2 id="members" className="text-h2">
          Members
        </h2>
        <ul className="mt-3 border-t border-ink">
          {customer.members.map(({ email, role: has, removed_at }) => (
            <li key={email} className="border-b border-line py-2.5 wrap-anywhere">
              {email}, {has}
              {removed_at ? ', no member any more' : ''}
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="agents">
        <h2 id="agents" className="text-h2">
          Agents
        </h2>
        <ul className="mt-3 border-t border-ink">
          {customer.agents.map((agent) => (
            <Agent key={agent.agent_key} agent={agent} role={role} now={ctx.now} />
          ))}
        </ul>
      </section>
      <Purchases customer={customer} now={ctx.now} />
      <Cards cards={customer.cards} now={ctx.now} />
      <Endpoints customer={customer} maySend={may(role, 'send_events_again')} now={ctx.now} />
      <Letters customer={customer} maySend={may(role, 'send_letter_again')} now={ctx.now} />
      <Waivers waivers={customer.waivers_by} now={ctx.now} />
      <Blocks blocks={customer.blocks} role={role} />
    </div>
  );
});

type Customer = Awaited<ReturnType<typeof readCustomer>>;

/** Why an agent of the customer buys nothing now: the blocks of the account, or what each agent lacks. */
function CannotBuy({ customer, now }: { customer: Customer; now: Date }) {
  const open = customer.blocks.filter(({ lifted_at }) => lifted_at === null);
  const stopped = customer.agents.every((agent) => obstaclesOf(agent, now).length > 0);
  if (open.length === 0 && (customer.agents.length === 0 || !stopped)) return null;
  return (
    <div className="notice tone-attention mt-4">
      <Lock className="icon" />
      <div className="min-w-0 wrap-anywhere">
        <p className="font-medium">Its agents can buy nothing now.</p>
        {open.map((block) => (
          <p key={block.block_key}>
            {block.why} <CauseOf block={block} />
          </p>
        ))}
        {open.length === 0 ? <p>Each agent below says why.</p> : null}
      </div>
    </div>
  );
}

/** Where the cause of a block stands. */
function CauseOf({ block: { dispute_key, job_key } }: { block: Customer['blocks'][number] }) {
  return (
    <>
      {job_key ? (
        <a className="link inline-flex min-h-6 items-center" href={`/console/purchases/${job_key}`}>
          The purchase
        </a>
      ) : null}
      {dispute_key ? (
        <>
          {', '}
          <a className="link inline-flex min-h-6 items-center" href={`/console/disputes/${dispute_key}`}>
            the open dispute
          </a>
        </>
      ) : null}
    </>
  );
}

interface AgentProps {
  agent: Customer['agents'][number];
  role: Awaited<ReturnType<typeof roleNow>>;
  now: Date;
}

/** An agent: its limits, its credentials, and the actions on it. */
function Agent({ agent, role, now }: AgentProps) {
  const acts = agent.state === 'revoked' ? [] : agent.state === 'paused' ? ['resume', 'revoke'] : ['pause', 'revoke'];
  const obstacles = obstaclesOf(agent, now);
  const operation = (act: string) => (act === 'revoke' ? 'revoke_customer_agent' : 'pause_customer_agent');
  // A wallet signs in with its own key.
  const possible = acts.filter((act) => act !== 'revoke' || agent.kind !== 'wallet');
  return (
    <li className="border-b border-line py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <State kind="agent" value={agent.state} />
        <span className="min-w-0 wrap-anywhere">
          {agent.name ? `${agent.name}, ` : ''}
          <Key>{agent.agent_key}</Key>
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {possible.map((act) =>
            may(role, operation(act)) ? (
              <a key={act} className="btn btn-sm" href={`/console/agents/${agent.agent_key}/${act}`}>
                {act.charAt(0).toUpperCase() + act.slice(1)}
              </a>
            ) : null,
          )}
        </span>
      </div>
      {obstacles.length > 0 && agent.state !== 'revoked' ? (
        <p className="mt-1">Buys nothing now: {obstacles.join(' ')}</p>
      ) : null}
      <p className="mt-1 text-ink-2 tabular-nums">
        <Price microcents={agent.used_today_microcents} /> of <Price microcents={agent.daily_microcents} /> today,{' '}
        <Price microcents={agent.used_microcents} />
        {agent.total_microcents === null ? (
          ' in total'
        ) : (
          <>
            {' '}
            of <Price microcents={agent.total_microcents} /> in total
          </>
        )}
        , <Price microcents={agent.per_job_microcents} /> a job at most. By{' '}
        {agent.methods.join(', ').replaceAll('_', ' ')}.
      </p>
      <ul className="mt-1 text-ink-3">
        {agent.credentials.map((credential) => (
          <li key={credential.credential_key} className="flex flex-wrap gap-x-3 wrap-anywhere">
            <Key>{credential.credential_key}</Key>
            <span>{credentialWords(credential, now)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}

function credentialWords(
  { revoked_at, expires_at, last_used_at }: AgentProps['agent']['credentials'][number],
  now: Date,
) {
  const used = last_used_at ? `used ${relativeText(last_used_at, now)}` : 'never used';
  if (revoked_at) return `${used}, revoked ${relativeText(revoked_at, now)}`;
  return expires_at ? `${used}, ends ${relativeText(expires_at, now)}` : used;
}

/** Buyers and payers with waived charges, and their delivered reports. */
function Waivers({ waivers, now }: { waivers: Customer['waivers_by']; now: Date }) {
  if (waivers.length === 0) return null;
  return (
    <section aria-labelledby="waivers">
      <h2 id="waivers" className="text-h2">
        Waived charges
      </h2>
      <ul className="mt-3 border-t border-ink">
        {waivers.map((row) => (
          <li key={`${row.agent_key} ${row.payer}`} className="flex flex-wrap gap-x-4 border-b border-line py-2.5">
            <span className="min-w-0 wrap-anywhere">
              <Key>{row.agent_key}</Key>
              {row.payer ? (
                <>
                  , paid by <Key>{row.payer}</Key>
                </>
              ) : null}
            </span>
            <span className="ml-auto tabular-nums">
              {row.waived} of {row.delivered} delivered
              {row.last_at ? `, the last ${relativeText(row.last_at, now)}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BlocksProps {
  blocks: Awaited<ReturnType<typeof readCustomer>>['blocks'];
  role: Awaited<ReturnType<typeof roleNow>>;
}

function Blocks({ blocks, role }: BlocksProps) {
  return (
    <section aria-labelledby="blocks">
      <h2 id="blocks" className="text-h2">
        Blocks
      </h2>
      {blocks.length === 0 ? <p className="text-ink-3">Never blocked.</p> : null}
      <ul className="mt-3 border-t border-ink">
        {blocks.map((block) => (
          <li key={block.block_key} className="flex flex-wrap items-center gap-4 border-b border-line py-2.5">
            <span>
              {block.cause.replaceAll('_', ' ')} <CauseOf block={block} />
            </span>
            {block.lifted_at ? (
              <span className="text-ink-3">
                Lifted by {block.lifted_by}: {block.lifted_because}
              </span>
            ) : may(role, 'lift_block') ? (
              <a className="btn btn-sm" href={`/console/blocks/${block.block_key}`}>
                Lift
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
