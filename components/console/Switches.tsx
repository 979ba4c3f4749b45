import type { Overview } from '@/server/console/contract/overview.ts';
import { type ActingRole, may, neededFor } from '@/server/operation/operator-roles.ts';
import { switchWords } from './switch-words.ts';

/** The switches, their state and its reason. */
export function Switches({ switches, role }: { switches: Overview['switches']; role: ActingRole }) {
  return (
    <section className="panel" aria-labelledby="switches">
      <h2 id="switches" className="px-5 pt-5 text-h3">
        Switches
      </h2>
      <p className="px-5 pb-2 text-dense text-ink-3">
        {may(role, 'turn_switch')
          ? 'Each change needs a reason. Availability shows it at once.'
          : `${neededFor('turn_switch')}.`}
      </p>
      <ul>
        {switches.map(({ name, state, reason, actor, changed_at }) => (
          <li key={name} className="flex items-start gap-4 border-t border-line px-5 py-3 text-dense">
            <div className="min-w-0 flex-1">
              <div className="font-medium">{switchWords[name].name}</div>
              <p className="wrap-anywhere text-ink-3">
                {state === 'off' && changed_at
                  ? `Off since ${changed_at.slice(5, 16).replace('T', ' ')} UTC: ${reason} (${actor})`
                  : `Off: ${switchWords[name].off}`}
              </p>
            </div>
            <span className={state === 'off' ? 'font-medium text-fault' : 'text-ink-3'}>
              {state === 'off' ? 'Off' : 'On'}
            </span>
            {may(role, 'turn_switch') ? (
              <a className="btn btn-sm" href={`/console/switches/${name}`}>
                Turn {state === 'off' ? 'on' : 'off'}
                <span className="sr-only"> {switchWords[name].name}</span>
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
