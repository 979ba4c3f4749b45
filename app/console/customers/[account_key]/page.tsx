import { Moment } from '@/components/console/Moment.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/console/roles.ts';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Customer');

const readCustomer = (account_key: string) => readForOperator('console_customers', { account_key });

/** A customer: who belongs to it, who buys for it and how much, and what keeps it from buying. */
export default show(async ({ params }: { params: Promise<{ account_key: string }> }) => {
  const { account_key } = await params;
  const customer = await readCustomer(account_key);
  const [{ ctx }, role] = [await operatorContext(), await roleNow()];
  return (
    <div className="space-y-8 text-dense">
      <div>
        <h1 className="text-h1 wrap-anywhere">
          <Key>{customer.account_key}</Key>
        </h1>
        <p className="mt-2 text-ink-3">
          Since <Moment at={customer.created_at} now={ctx.now} /> {customer.waivers} charges waived
        </p>
        <a className="btn mt-3" href={`/console/purchases?is=customer:${customer.account_key}`}>
          Its purchases
        </a>
      </div>
      <section aria-labelledby="members">
        <h2 id="members" className="text-h2">
          Members
        </h2>
        <ul className="mt-3 border-t border-ink">
          {customer.members.map(({ email, role: has }) => (
            <li key={email} className="border-b border-line py-2.5 wrap-anywhere">
              {email}, {has}
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
            <li key={agent.agent_key} className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line py-2.5">
              <State kind="agent" value={agent.state} />
              <span className="min-w-0 wrap-anywhere">
                {agent.name ? `${agent.name}, ` : ''}
                <Key>{agent.agent_key}</Key>
              </span>
              <span className="ml-auto tabular-nums">
                <Price microcents={agent.used_today_microcents} /> of <Price microcents={agent.daily_microcents} />{' '}
                today
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Blocks blocks={customer.blocks} role={role} />
    </div>
  );
});

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
      {blocks.length === 0 ? <p className="text-ink-3">It was never blocked.</p> : null}
      <ul className="mt-3 border-t border-ink">
        {blocks.map((block) => (
          <li key={block.block_key} className="flex flex-wrap items-center gap-4 border-b border-line py-2.5">
            <span>{block.cause.replaceAll('_', ' ')}</span>
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
