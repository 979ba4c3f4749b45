import { z } from 'zod';
import { Impact } from '../../availability/incident-contract.ts';
import { defineOperation } from '../../operation/operation.ts';
import { act, Done, Instant, Key } from './parts.ts';

/** Telling everybody what is wrong. Each text is published as it is, and recorded in the audit log. Pure. */

export const titleMax = 120;
export const updateMax = 1_000;

const Text = z.string().trim().min(1).max(updateMax).meta({ description: 'Published, and recorded in the audit log.' });

export const openIncident = defineOperation({
  ...act,
  name: 'open_incident',
  summary: 'Open an incident: its title, what it touches and a first text. Published at once.',
  path: '/console/incidents',
  input: z.strictObject({
    title: z
      .string()
      .trim()
      .min(1)
      .max(titleMax)
      .regex(/^[^\r\n]*$/, 'One line.'),
    impact: Impact,
    text: Text,
    started_at: Instant.nullable().default(null).meta({ description: 'When it began; null for now.' }),
  }),
  output: z.object({ incident_key: z.string() }),
  problems: ['action_not_allowed'],
});

const onIncident = z.strictObject({ incident_key: Key, text: Text });

export const updateIncident = defineOperation({
  ...act,
  name: 'update_incident',
  summary: 'Add a text to an open incident. Published at once.',
  path: '/console/incidents/{incident_key}/update',
  input: onIncident,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});

export const resolveIncident = defineOperation({
  ...act,
  name: 'resolve_incident',
  summary: 'Resolve an open incident, with a last text. Published at once; it cannot be opened again.',
  path: '/console/incidents/{incident_key}/resolve',
  input: onIncident,
  output: Done,
  problems: ['not_found', 'action_not_allowed'],
});
