import { after } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../operation/verb.ts';
import { daySeconds } from '../service/terms.ts';
import { historyDays, type Incident, incidentsMax, type incidents as operation } from './incident-contract.ts';

interface Row extends Omit<Incident, 'started_at' | 'resolved_at'> {
  started_at: Date;
  resolved_at: Date | null;
}

export const incidents: Verb<typeof operation> = async ({ ctx, db }) => {
  const rows = await db.many<Row>(sql`
    select incident_key, title, impact, started_at, resolved_at,
      (select json_agg(json_build_object('at', at, 'text', text) order by number)
        from incident_updates where incident_updates.incident_key = incidents.incident_key) as updates
    from incidents where resolved_at is null or resolved_at > ${after(ctx.now, -historyDays * daySeconds)}
    order by (resolved_at is not null), started_at desc, incident_key limit ${incidentsMax}`);
  return {
    body: {
      incidents: rows.map(({ started_at, resolved_at, updates, ...row }) => ({
        ...row,
        started_at: started_at.toISOString(),
        resolved_at: resolved_at?.toISOString() ?? null,
        updates: updates.map(({ at, text }) => ({ at: new Date(at).toISOString(), text })),
      })),
    },
  };
};
