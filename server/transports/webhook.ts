import { isDatabaseTrouble } from '../kernel/database.ts';
import { noteFullDisk } from '../kernel/disk.ts';
import { errorFields, log } from '../kernel/log.ts';
import { databaseOutage } from '../kernel/outage.ts';
import { Problem } from '../problems/problem.ts';
import type { Runtime } from '../runtime.ts';
import { readBytes } from './body.ts';
import type { Answer, Asked } from './exchange.ts';
import { refusedAnswer } from './rest.ts';

/** The card provider's webhook address. */
export const webhookPath = '/api/webhooks/stripe';

/** The largest event has a few kilobytes. */
const maxBytes = 512 * 1024;

/**
 * Takes an announcement as signed bytes and acknowledges it once stored; the worker handles it later. One that cannot
 * be stored is not acknowledged, so that it is delivered again.
 */
export async function webhookAnswer(runtime: Runtime, request: Asked): Promise<Answer> {
  const { configuration } = runtime;
  const receive = runtime.rails.get('card')?.receive;
  if (!receive) {
    const absent = new Problem('service_unavailable', 'Card payments are not configured.', {
      members: { reasons: ['card_disabled'] },
    });
    return refusedAnswer(configuration, absent);
  }
  try {
    const body = await readBytes(request, maxBytes);
    const signature = request.headers.get('stripe-signature') ?? '';
    const isKept = await receive(runtime, { body, signature });
    if (isKept) return { status: 200, headers: { 'content-type': 'application/json' }, text: '{"received":true}' };
    log('webhook_refused', {});
    return refusedAnswer(configuration, new Problem('signature_invalid', 'The signature does not match this body.'));
  } catch (error) {
    if (error instanceof Problem) return refusedAnswer(configuration, error);
    const isFull = noteFullDisk(runtime.db, error);
    if (isDatabaseTrouble(error)) databaseOutage.failed(error);
    else log('webhook_not_stored', errorFields(error));
    const busy = new Problem('service_unavailable', 'The event could not be stored. Send it again.', {
      members: { reasons: [isFull ? 'database_full' : 'database_unreachable'] },
      headers: { 'Retry-After': '5' },
    });
    return refusedAnswer(configuration, busy);
  }
}
