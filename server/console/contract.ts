import { z } from 'zod';
import { defineOperation } from '../door/operation.ts';
import { switchNames } from '../service/contract.ts';

/** What operators alone may ask for: none of it is published. Pure. */

export const turnSwitch = defineOperation({
  name: 'turn_switch',
  summary: 'Turn selling, registrations or a rail off or on again. What is open goes on.',
  method: 'POST',
  path: '/console/switches/{name}',
  audience: ['operator'],
  effect: 'write',
  idempotency: 'none',
  input: z.strictObject({
    name: z.enum(switchNames),
    state: z.enum(['on', 'off']),
    reason: z.string().trim().min(1).max(500).meta({ description: 'Kept with the change.' }),
  }),
  output: z.object({
    name: z.enum(switchNames),
    state: z.enum(['on', 'off']),
    reason: z.string(),
    changed_at: z.iso.datetime(),
  }),
  success: [200],
  problems: ['invalid_token'],
});
