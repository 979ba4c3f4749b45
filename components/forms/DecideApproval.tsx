import { Bot } from 'lucide-react';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { amountText, Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { LiveReload } from '@/components/ui/LiveReload.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import type { Approval } from '@/server/purchases/approval-contract.ts';
import { FreshSignIn } from './FreshSignIn.tsx';
import { TwoAnswers } from './TwoAnswers.tsx';

interface Props {
  approval: Approval;
  /** Whether the reader's role covers deciding. */
  mayDecide: boolean;
  /** The code of the refusal of what the member just tried. */
  told: string | null;
  next: string;
}

/** What an agent asks to buy, what is left of its limits, and the two answers. Works without scripts. */
export function DecideApproval({ approval, mayDecide, told, next }: Props) {
  const { agent, price_microcents: price, state } = approval;
  return (
    <div className="mx-auto max-w-decision px-4 py-8 md:py-14">
      {state === 'approved' ? <LiveReload /> : null}
      <h1 className="text-h1">
        {state === 'open' ? (
          <>
            May this agent spend <Price microcents={price} />?
          </>
        ) : (
          'A purchase of your agent'
        )}
      </h1>
      <p className="mt-2 text-body text-ink-2">
        {approval.above_limits
          ? 'It asks to buy one check, and a limit is in the way.'
          : 'It asks to buy one check, which costs more than it may spend alone.'}
      </p>
      <div className="mt-4 space-y-4 empty:hidden">
        {told === 'fresh_sign_in_required' ? <FreshSignIn next={next} /> : null}
        {told === 'action_not_allowed' || told === 'quote_expired' ? (
          <Notice tone="attention">Nothing was changed: this was decided, or ended, in the meantime.</Notice>
        ) : null}
      </div>
      <Asked approval={approval} />
      {state !== 'open' ? <Outcome approval={approval} mayDecide={mayDecide} /> : null}
      {state === 'open' && mayDecide ? <Answers approval={approval} /> : null}
      {state === 'open' && !mayDecide ? (
        <p className="mt-5 text-ink-2">An owner or an approver of the account decides. Your role does not cover it.</p>
      ) : null}
      <p className="mt-4 text-dense text-ink-3">
        <a href={`/agents/${agent.agent_key}`} className="link inline-flex min-h-6 items-center">
          Limits, history, and how to stop this agent
        </a>
      </p>
    </div>
  );
}

function Asked({ approval }: Pick<Props, 'approval'>) {
  const { agent, title, price_microcents: price } = approval;
  return (
    <section className="panel mt-6" aria-label="What it asks">
      <div className="flex items-center gap-4 p-5">
        <span className="flex size-11 flex-none items-center justify-center rounded-panel border border-line bg-sunken text-ink-2">
          <Bot className="icon size-5" />
        </span>
        <div className="min-w-0">
          <div className={agent.name === null ? 'key' : 'text-h3 wrap-anywhere'}>
            <bdi>{nameOf(agent)}</bdi>
          </div>
          <div className="text-dense text-ink-3">Name given by the agent, not verified</div>
        </div>
      </div>
      <dl className="facts border-t border-line px-5 text-dense">
        <dt>To check</dt>
        <dd className="wrap-anywhere">
          {title === null ? (
            'Work without a request'
          ) : (
            <>
              <q className="font-mono">
                <bdi>{title}</bdi>
              </q>
              <span className="block text-ink-3">In the words of the agent</span>
            </>
          )}
        </dd>
        <dt>Price</dt>
        <dd>
          <Price microcents={price} />
        </dd>
        <dt>Left</dt>
        <dd>
          <Left approval={approval} />
        </dd>
        <dt>Quote</dt>
        <dd>
          <Key>{approval.quote_key}</Key>
        </dd>
        <dt>Ends</dt>
        <dd>
          <Instant at={approval.expires_at} />
        </dd>
      </dl>
    </section>
  );
}

/** What the limits leave before this purchase. */
function Left({ approval }: Pick<Props, 'approval'>) {
  const { grant, spend } = approval.agent;
  const left = (limit: number, spent: number) =>
    `${amountText(Math.max(0, limit - spent))} of ${amountText(limit)} USD`;
  return (
    <>
      {left(grant.daily_limit_microcents, spend.today_microcents)} today
      {grant.total_limit_microcents === null ? (
        ', no total limit'
      ) : (
        <>, {left(grant.total_limit_microcents, spend.total_microcents)} in total</>
      )}
      , {amountText(grant.per_job_limit_microcents)} USD a check
    </>
  );
}

function Answers({ approval }: Pick<Props, 'approval'>) {
  return (
    <form action={`/approvals/${approval.approval_key}/decision`} method="post" className="mt-5">
      <TwoAnswers no={['decline', 'Decline']} />
      <p className="mt-3 text-dense text-ink-3">
        A yes counts for this purchase alone{approval.above_limits ? ', and lets it pass the limits' : ''}. Nothing is
        charged now: the agent buys by itself, and pays as its grant says. If you do nothing, nothing is bought.
      </p>
    </form>
  );
}

const outcomes: Readonly<Record<Exclude<Approval['state'], 'open'>, string>> = {
  approved: 'The agent may buy this check and goes on by itself. Until it has, you can take your yes back.',
  declined: 'The agent cannot buy this quote.',
  used: 'The agent bought it. It is paid, and reported on, like any other check.',
  lapsed: 'The quote ended, or needed no approval any more. Nothing was bought through this question.',
};

function Outcome({ approval, mayDecide }: Pick<Props, 'approval' | 'mayDecide'>) {
  const { approval_key, state, decided_by, decided_at, job_key } = approval;
  if (state === 'open') return null;
  return (
    <section className="mt-5 border-t border-ink pt-4" aria-label="The decision">
      <State kind="approval" value={state} />
      <p className="mt-2 text-ink-2">{outcomes[state]}</p>
      {decided_by === null || decided_at === null ? null : (
        <p className="mt-1 text-dense text-ink-3 wrap-anywhere">
          Decided by {decided_by}, <Instant at={decided_at} />.
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-3 empty:hidden">
        {job_key === null ? null : (
          <a href={`/reports/${job_key}`} className="btn">
            See the check
          </a>
        )}
        {state === 'approved' && mayDecide ? (
          <form action={`/approvals/${approval_key}/decision`} method="post">
            <button type="submit" name="decision" value="decline" className="btn">
              Take it back
            </button>
          </form>
        ) : null}
      </div>
    </section>
  );
}
