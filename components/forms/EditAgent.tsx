import type { ReactNode } from 'react';
import { AgentHistory } from '@/components/identity/AgentHistory.tsx';
import { nameOf } from '@/components/identity/AgentList.tsx';
import { Limits } from '@/components/identity/GrantSummary.tsx';
import { SpendMeter } from '@/components/identity/SpendMeter.tsx';
import { amountText } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import type { AccountEvent, ConnectedAgent } from '@/server/identity/member-contract.ts';
import { toText } from '@/server/kernel/money.ts';
import type { MemberChange } from '@/server/operation/member-roles.ts';
import { price } from '@/server/service/terms.ts';
import { FreshSignIn } from './FreshSignIn.tsx';
import { canBuy, type GrantValues, LimitFields, PermissionFields, type Rails } from './GrantFields.tsx';

interface Props {
  agent: ConnectedAgent;
  values: GrantValues;
  /** Whether the values were typed and not saved. */
  isUnsaved: boolean;
  events: readonly AccountEvent[];
  /** What the member just did, or the code of the refusal. */
  told: string | null;
  rails: Rails;
  /** This page with what was typed, to come back to. */
  next: string;
  /** What the reader's role covers. */
  may: (operation: MemberChange) => boolean;
  /** Said above all else: what keeps the whole account from buying. */
  above: ReactNode;
}

const done: Record<string, string> = {
  grant: 'Saved. It applies from the next request on.',
  useless: 'Saved. With these limits and permissions the agent cannot buy anything.',
  pause: 'Paused. New purchases are refused; paid jobs continue.',
  resume: 'The agent may buy again.',
  release: 'The agent may fetch a new key with its claim token. The old one works until the new one is used.',
  stopped: 'Stopped: the old key buys and reads nothing any more. The agent may fetch a new one with its claim token.',
  revoke: 'Revoked. Its credentials can no longer buy anything.',
};

const refused: Record<string, string> = {
  validation_failed: 'Nothing was saved. Check the amounts.',
  role_missing: 'Nothing was changed: your role does not cover that.',
  action_not_allowed: 'Nothing was changed: this is not possible in the agent’s current state.',
};

function Told({ told, values, rails, isUnsaved, next }: Props) {
  const what = told === 'grant' && !canBuy(values, rails) ? 'useless' : told;
  if (what === 'fresh_sign_in_required') return <FreshSignIn next={next} />;
  if (what !== null && done[what])
    return <Notice tone={what === 'useless' ? 'attention' : 'settled'}>{done[what]}</Notice>;
  if (what !== null && refused[what]) {
    return (
      <Notice tone="attention" quiet={what === 'validation_failed'}>
        {refused[what]}
      </Notice>
    );
  }
  return isUnsaved ? <Notice tone="attention">Your changes are not saved yet.</Notice> : null;
}

/** One agent: its limits and permissions, its history, and how to stop it. */
export function EditAgent(props: Props) {
  const { agent, values, events, rails, may } = props;
  const at = `/agents/${agent.agent_key}`;
  return (
    <div className="mx-auto max-w-[45rem] px-4 py-8 md:py-12">
      <p>
        <a href="/agents" className="link inline-flex min-h-6 items-center text-dense">
          All agents
        </a>
      </p>
      <div className="mt-2 flex flex-wrap items-baseline gap-x-4">
        <h1 className={agent.name === null ? 'key text-h2' : 'text-h1 wrap-anywhere'}>{nameOf(agent)}</h1>
        <State kind="agent" value={agent.state} />
      </div>
      <p className="mt-1 text-ink-2">
        Connected <Instant at={agent.connected_at} />. Key <Key>{agent.agent_key}</Key>
      </p>
      {props.above}
      <SpendMeter agent={agent} />
      <div className="mt-6 space-y-6">
        <Told {...props} />
        {agent.state === 'revoked' ? null : (
          <>
            {may('change_grant') ? (
              <GrantForm at={at} agent={agent} values={values} rails={rails} />
            ) : (
              <div className="panel">
                <Limits grant={agent.grant}>
                  <p className="mt-3 text-dense text-ink-2">
                    {agent.grant.expires_at === null ? (
                      'No end is set: this holds until somebody changes it or stops the agent.'
                    ) : (
                      <>
                        From <Instant at={agent.grant.expires_at} /> on it buys nothing.
                      </>
                    )}
                  </p>
                </Limits>
              </div>
            )}
            {may('pause_agent') ? <Acts at={at} agent={agent} may={may} /> : null}
          </>
        )}
        <section aria-labelledby="history">
          <h2 id="history" className="mb-3 border-t border-ink pt-4 text-h3">
            History
          </h2>
          <AgentHistory events={events} />
        </section>
      </div>
    </div>
  );
}

function GrantForm({ at, agent, values, rails }: Pick<Props, 'agent' | 'values' | 'rails'> & { at: string }) {
  const { today_microcents: today, total_microcents: total } = agent.spend;
  return (
    <form action={`${at}/grant`} method="post" className="panel">
      <fieldset className="p-5 md:p-6">
        <legend className="float-left mb-4 w-full text-h3">It may spend</legend>
        <div className="clear-both">
          <LimitFields
            values={values}
            hints={{
              per_check: `A check costs ${toText(price)}`,
              per_day: `${amountText(today)} spent or held today`,
              in_total: `${amountText(total)} spent or held. Leave empty for no limit`,
            }}
          />
        </div>
      </fieldset>
      <fieldset className="border-t border-line p-5 md:p-6">
        <legend className="float-left mb-3 w-full text-h3">It may</legend>
        <div className="clear-both">
          <PermissionFields values={values} rails={rails} mayAsk />
        </div>
      </fieldset>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line p-5 md:px-6">
        <button type="submit" className="btn btn-primary">
          Save
        </button>
        <p className="text-dense text-ink-3">Lowering limits works at once. Raising them needs a fresh sign-in.</p>
      </div>
    </form>
  );
}

function Acts({ at, agent, may }: Pick<Props, 'agent' | 'may'> & { at: string }) {
  const paused = agent.state === 'paused';
  const isKeyed = agent.kind === 'agent';
  return (
    <section className="panel p-5 md:p-6" aria-labelledby="acts">
      <h2 id="acts" className="text-h3">
        Stop or renew
      </h2>
      <div className="mt-4 flex flex-wrap gap-3">
        <form action={`${at}/pause`} method="post">
          <input type="hidden" name="paused" value={paused ? 'no' : 'yes'} />
          <button type="submit" className="btn">
            {paused ? 'Resume' : 'Pause'}
          </button>
        </form>
        {isKeyed && may('release_again') ? (
          <form action={`${at}/release`} method="post" className="flex flex-wrap gap-3">
            <button type="submit" className="btn">
              Replace its key
            </button>
            <button type="submit" name="key" value="leaked" className="btn">
              Key leaked: stop the old one now
            </button>
          </form>
        ) : null}
        {isKeyed && may('revoke_agent') ? (
          <a href={`${at}/revoke`} className="btn btn-danger md:ml-auto">
            Revoke…
          </a>
        ) : null}
      </div>
      <p className="mt-3 text-dense text-ink-3">
        Pausing refuses new purchases from the next request on; paid jobs continue. Resuming needs a fresh sign-in.{' '}
        {isKeyed && may('release_again')
          ? 'A replaced key works until the new one is first used; a leaked one stops at once. Replacing a key needs a fresh sign-in, too. '
          : ''}
        {agent.claim_until === null ? null : (
          <>
            The agent may fetch a key until <Instant at={agent.claim_until} />.
          </>
        )}
      </p>
    </section>
  );
}
