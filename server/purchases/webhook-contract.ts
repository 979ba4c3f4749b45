import { z } from 'zod';
import { defineOperation } from '../operation/operation.ts';

/** Where an account is told of its events (specification 3.9). For members: an agent reads the events itself. Pure. */

export const endpointsMax = 5;
const urlMax = 2_000;
const key = z.string().min(1).max(64);
const instant = z.iso.datetime();

const Url = z
  .string()
  .max(urlMax)
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password, hash } = new URL(text);
    return protocol === 'https:' && username === '' && password === '' && hash === '';
  }, 'must be an https address without user, password and fragment');

export const WebhookEndpoint = z
  .object({
    endpoint_key: key,
    url: z.string(),
    added_at: instant,
    told_at: instant.nullable().meta({ description: 'When it last took an event.' }),
    failing: z
      .object({ since: instant, tries: z.int(), failure: z.string(), next_try_at: instant })
      .nullable()
      .meta({ description: 'While it does not take its next event.' }),
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>;

const onEndpoints = { audience: ['member'], idempotency: 'none', success: [200] } as const;
const repeated = ['idempotency_key_conflict', 'idempotency_in_progress'] as const;
const path = '/api/agent/v1/webhook-endpoints';

export const webhookEndpoints = defineOperation({
  ...onEndpoints,
  name: 'webhook_endpoints',
  summary: 'List where the account is told of its events, and how that goes. For members.',
  method: 'GET',
  path,
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({ endpoints: z.array(WebhookEndpoint).max(endpointsMax) }).meta({ id: 'WebhookEndpoints' }),
  problems: ['invalid_token'],
});

export const addWebhookEndpoint = defineOperation({
  ...onEndpoints,
  name: 'add_webhook_endpoint',
  summary:
    'Have an https address told of each event from now on, signed as Standard Webhooks has it. Events are thin: read ' +
    'what they name. What is not taken is tried again with growing pauses. The secret is shown once.',
  method: 'POST',
  path,
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({ url: Url }),
  output: WebhookEndpoint.extend({
    secret: z.string().meta({ description: 'whsec_ and the base64 of the key that signs.' }),
  }).meta({ id: 'AddedWebhookEndpoint' }),
  success: [201],
  secret: true,
  problems: [
    'invalid_token',
    ...repeated,
    'action_not_allowed',
    'fresh_sign_in_required',
    'credential_already_released',
  ],
});

export const removeWebhookEndpoint = defineOperation({
  ...onEndpoints,
  name: 'remove_webhook_endpoint',
  summary: 'Tell an address nothing more, and forget its secret.',
  method: 'DELETE',
  path: `${path}/{endpoint_key}`,
  effect: 'write',
  input: z.strictObject({ endpoint_key: key }),
  output: WebhookEndpoint.extend({ removed_at: instant }).meta({ id: 'RemovedWebhookEndpoint' }),
  problems: ['invalid_token', 'not_found'],
});

export const resendWebhooks = defineOperation({
  ...onEndpoints,
  name: 'resend_webhooks',
  summary:
    'Tell an address again of every event after this one, in order and at once; without after, of all that are kept.',
  method: 'POST',
  path: `${path}/{endpoint_key}/resend`,
  effect: 'write',
  idempotency: 'optional',
  input: z.strictObject({
    endpoint_key: key,
    after: z.string().min(1).max(80).optional().meta({ description: 'An event_key of the list of events.' }),
  }),
  output: WebhookEndpoint,
  problems: ['invalid_token', 'not_found', ...repeated],
});
