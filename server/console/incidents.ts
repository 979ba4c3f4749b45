import { historyDays, updatesMax } from '../availability/incident-contract.ts';
import { after } from '../kernel/clock.ts';
import { newKey } from '../kernel/id.ts';
import { sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/transaction.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { daySeconds } from '../service/terms.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/incidents.ts';

export const openIncident: Verb<typeof contract.openIncident> = async ({ ctx, caller, input, tx }) => {
  const { title, impact, text } = input;
  const startedAt = input.started_at === null ? ctx.now : new Date(input.started_at);
  if (startedAt > ctx.now || startedAt < after(ctx.now, -historyDays * daySeconds)) {
    const detail = `An incident began in the last ${historyDays} days, and not later than now.`;
    throw new Problem('action_not_allowed', detail);
  }
  const incident_key = newKey('incident');
  tx.write(sql`
    insert into incidents (incident_key, title, impact, started_at)
    values (${incident_key}, ${title}, ${JSON.stringify(impact)}, ${startedAt})`);
  addUpdate(tx, incident_key, { number: 1, text }, ctx.now);
  noteAct(tx, caller, actOn(incident_key, 'open_incident', `${title}: ${text}`), ctx.now);
  return { body: { incident_key } };
};

export const updateIncident: Verb<typeof contract.updateIncident> = async ({ ctx, caller, input, tx }) => {
  const { incident_key, text } = input;
  const number = await nextNumber(tx, incident_key);
  // The last one is left for the text that resolves it.
  if (number >= updatesMax)
    throw new Problem('action_not_allowed', 'This incident has as many updates as it can have.');
  addUpdate(tx, incident_key, { number, text }, ctx.now);
  noteAct(tx, caller, actOn(incident_key, 'update_incident', text), ctx.now);
  return { body: { done: true } };
};

export const resolveIncident: Verb<typeof contract.resolveIncident> = async ({ ctx, caller, input, tx }) => {
  const { incident_key, text } = input;
  addUpdate(tx, incident_key, { number: await nextNumber(tx, incident_key), text }, ctx.now);
  tx.write(sql`update incidents set resolved_at = ${ctx.now} where incident_key = ${incident_key}`);
  noteAct(tx, caller, actOn(incident_key, 'resolve_incident', text), ctx.now);
  return { body: { done: true } };
};

/** The number of an open incident's next update; locks the incident. Throws `not_found` and `action_not_allowed`. */
async function nextNumber(tx: Tx, incidentKey: string): Promise<number> {
  const found = await tx.maybe<{ is_open: boolean }>(sql`
    select resolved_at is null as is_open from incidents where incident_key = ${incidentKey} for update`);
  if (!found) throw new Problem('not_found', 'There is no such incident.');
  if (!found.is_open) throw new Problem('action_not_allowed', 'This incident is resolved.');
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*)::integer as count from incident_updates where incident_key = ${incidentKey}`);
  return count + 1;
}

function addUpdate(tx: Tx, incidentKey: string, { number, text }: { number: number; text: string }, now: Date): void {
  tx.write(sql`
    insert into incident_updates (incident_key, number, at, text) values (${incidentKey}, ${number}, ${now}, ${text})`);
}

type Act = 'open_incident' | 'update_incident' | 'resolve_incident';

function actOn(incidentKey: string, action: Act, reason: string) {
  return { subject: `incident:${incidentKey}`, action, reason };
}
