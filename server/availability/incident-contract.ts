import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';

/** What went wrong, as operators recorded it, for everybody. Pure. */

/** The parts of the service that an incident can touch. */
export const incidentParts = ['rest', 'mcp', 'card', 'stablecoin', 'checks'] as const;
/** How it touches them: slow or failing at times, or not at all there. */
export const incidentImpacts = ['degraded', 'down'] as const;

export const Impact = z
  .partialRecord(z.enum(incidentParts), z.enum(incidentImpacts))
  .refine((impact) => Object.keys(impact).length > 0, 'Name at least one part.')
  .meta({ description: 'Each part that it touched, and how.' });

/** How long a resolved incident is told, in days. */
export const historyDays = 90;
/** Most incidents of an answer, the newest of them. */
export const incidentsMax = 200;
/** Most updates of an incident, the first and the last included. */
export const updatesMax = 100;

export const incidents = defineOperation({
  name: 'incidents',
  summary: 'Read open incidents, then those resolved lately.',
  method: 'GET',
  path: '/status.json',
  audience: ['public'],
  effect: 'read',
  idempotency: 'none',
  input: z.strictObject({}),
  output: z
    .object({
      incidents: z
        .array(
          z.object({
            incident_key: z.string(),
            title: z.string(),
            impact: Impact,
            started_at: z.iso.datetime(),
            resolved_at: z.iso.datetime().nullable().meta({ description: 'Null while it is open.' }),
            updates: z
              .array(z.object({ at: z.iso.datetime(), text: z.string() }))
              .meta({ description: 'In the order of their writing.' }),
          }),
        )
        .meta({ description: `The newest ${incidentsMax} at most.` }),
    })
    .meta({ id: 'Incidents' }),
  success: [200],
  problems: ['service_unavailable'],
  cacheSeconds: 60,
});
export type Incident = z.infer<typeof incidents.output>['incidents'][number];
