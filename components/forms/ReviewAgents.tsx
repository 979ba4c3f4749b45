import { nameOf } from '@/components/identity/AgentList.tsx';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';

/** Asks an owner at the first sign-in which agents stay. */
export function ReviewAgents({ agents }: { agents: readonly ConnectedAgent[] }) {
  return (
    <form action="/agents/review" method="post" className="panel mt-6 p-5 md:p-6" aria-labelledby="review">
      <h2 id="review" className="text-h3">
        Are all of these yours?
      </h2>
      <p className="mt-1 text-ink-2">
        This is your first sign-in. These agents may buy checks on your account. Keep or revoke each one.
      </p>
      <ul className="mt-4 border-t border-ink">
        {agents.map((agent) => (
          <li key={agent.agent_key} className="border-b border-line py-3">
            <fieldset className="flex flex-wrap items-center gap-x-6 gap-y-2">
              <legend className="float-left mr-auto w-full font-medium wrap-anywhere md:w-auto">{nameOf(agent)}</legend>
              <label className="flex min-h-6 items-center gap-2">
                <input type="radio" name={agent.agent_key} value="keep" required className="size-4 accent-ink" />
                Keep
              </label>
              {agent.kind === 'agent' ? (
                <label className="flex min-h-6 items-center gap-2">
                  <input type="radio" name={agent.agent_key} value="revoke" required className="size-4 accent-ink" />
                  Revoke
                </label>
              ) : null}
            </fieldset>
          </li>
        ))}
      </ul>
      <button type="submit" className="btn btn-primary mt-4">
        Save
      </button>
    </form>
  );
}
