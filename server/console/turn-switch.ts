import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/overview.ts';

/** Turns a switch. The database records each change with its actor and reason. */
export const turnSwitch: Verb<typeof contract.turnSwitch> = async ({ ctx, caller, input, tx }) => {
  const { name, state, reason } = input;
  tx.write(sql`
    insert into switches (name, state, reason, actor, changed_at)
    values (${name}, ${state}, ${reason}, ${caller.name}, ${ctx.now})
    on conflict (name) do update set state = excluded.state, reason = excluded.reason, actor = excluded.actor,
      changed_at = excluded.changed_at`);
  noteAct(tx, caller, { subject: `switch:${name}`, action: 'turn_switch', reason: `${state}: ${reason}` }, ctx.now);
  return { body: { name, state, reason, changed_at: ctx.now.toISOString() } };
};
