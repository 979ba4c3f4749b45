import { nameOf } from '@/components/identity/AgentList.tsx';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';
import { railNames, railWords } from '@/server/payments/contract.ts';
import { Verdict } from '@/server/work-check/contract.ts';
import { stateWord } from './states.ts';

interface Props {
  /** To choose from; a wallet's owner has only itself. */
  agents: readonly Pick<ConnectedAgent, 'agent_key' | 'name'>[];
  shown: { agent_key?: string; rail?: string; verdict?: string; waits_for?: string };
}

/** Narrows the list of purchases; the choice stands in the address. Works without scripts. */
export function PurchaseFilters({ agents, shown }: Props) {
  const isNarrowed = Object.keys(shown).length > 0;
  return (
    <form action="/purchases" aria-label="Filter" className="mt-6 flex flex-wrap items-end gap-3">
      {agents.length > 1 ? (
        <Choice
          name="agent_key"
          label="Agent"
          chosen={shown.agent_key}
          choices={agents.map((agent) => [agent.agent_key, nameOf(agent)])}
        />
      ) : null}
      <Choice
        name="rail"
        label="Paid by"
        chosen={shown.rail}
        choices={railNames.map((rail) => [rail, railWords[rail].name])}
      />
      <Choice
        name="verdict"
        label="Verdict"
        chosen={shown.verdict}
        choices={Verdict.options.map((verdict) => [verdict, stateWord('verdict', verdict).word])}
      />
      <Choice name="waits_for" label="Waits for" chosen={shown.waits_for} choices={[['review', 'Your review']]} />
      <button type="submit" className="btn">
        Show
      </button>
      {isNarrowed ? (
        <a href="/purchases" className="btn btn-plain">
          Show all
        </a>
      ) : null}
    </form>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  chosen: string | undefined;
  choices: readonly (readonly [value: string, word: string])[];
}

function Choice({ name, label, chosen = '', choices }: ChoiceProps) {
  return (
    <label className="grid min-w-32 gap-1 text-dense text-ink-2 max-md:flex-1">
      {label}
      <select name={name} defaultValue={chosen} className="field py-1.5 text-ui">
        <option value="">Any</option>
        {choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
