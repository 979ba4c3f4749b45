// Delivers signed events to the seller: at least once, in any order, retried for three days until it answers 2xx.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultQueue, faultQueue } from '../fault-queue.ts';
import { BRAND } from '../http.ts';
import type { WebhookFault } from './faults.ts';
import type { Provider } from './provider.ts';
import type { Delivery } from './records.ts';

export interface Webhooks {
  readonly faults: FaultQueue<WebhookFault>;
  /** Sends a new event. */
  take(eventId: string): void;
  /** Sends the waiting events that are due. */
  pump(): void;
  configure(target: Partial<WebhookTarget>): WebhookTarget;
  /** Sends these events in sequence, each `copies` times, whatever happened to them before. */
  send(eventIds: readonly string[], copies: number): Promise<void>;
  stop(): void;
}

/** Several secrets sign while the seller's secret is being rolled. */
export interface WebhookTarget {
  readonly url: string;
  readonly secrets: readonly string[];
}

const ANSWER_MS_MAX = 20_000;
const MS_PER_SECOND = 1_000;
const GIVE_UP_SECONDS = 3 * 86_400;
/** Sooner than the real ones at first, for impatient developers; the last one repeats. */
const RETRY_SECONDS = [1, 5, 30, 120, 600, 3_600, 3 * 3_600];

/** The header that stripe-node verifies: `t` and one `v1` per secret. Both use the machine's time. */
export function signatureHeader(payload: string, secrets: readonly string[], at = Date.now()): string {
  const t = Math.floor(at / MS_PER_SECOND);
  const sign = (secret: string) => createHmac('sha256', secret).update(`${t}.${payload}`).digest('hex');
  return [`t=${t}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',');
}

/** Posts a signed payload. Returns the status of the answer, null without one. */
async function post({ url, secrets }: WebhookTarget, payload: string, stop: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': `Stripe/1.0 (${BRAND})`,
        'stripe-signature': signatureHeader(payload, secrets),
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS_MAX)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

/** A delivery after an attempt: taken, retried later, or given up. */
function afterAttempt(delivery: Delivery, attempt: Delivery['attempts'][number]): Delivery {
  const { at, status } = attempt;
  const attempts = [...delivery.attempts, attempt];
  if (status !== null && status >= 200 && status < 300) return { ...delivery, attempts, state: 'delivered' };
  if (delivery.state !== 'waiting') return { ...delivery, attempts };
  if (at - delivery.first_at > GIVE_UP_SECONDS) return { ...delivery, attempts, state: 'given_up' };
  const wait = RETRY_SECONDS[attempts.length - 1] ?? RETRY_SECONDS.at(-1) ?? 0;
  return { ...delivery, attempts, next_at: at + wait };
}

/** Collects events until there are enough, then releases them newest first. */
function turnedBatches() {
  let gathered: string[] = [];
  return {
    add(eventId: string, count: number): string[] | undefined {
      gathered.unshift(eventId);
      if (gathered.length < count) return undefined;
      const ready = gathered;
      gathered = [];
      return ready;
    },
  };
}

const waitingIn = (store: Provider['store']): Set<string> =>
  new Set(
    store
      .list('delivery')
      .filter(({ state }) => state === 'waiting')
      .map(({ id }) => id),
  );

/** Stores a delivery; `waiting` follows it. */
function keepIn(store: Provider['store'], waiting: Set<string>, delivery: Delivery): void {
  store.put('delivery', delivery);
  if (delivery.state === 'waiting') waiting.add(delivery.id);
  else waiting.delete(delivery.id);
  const event = store.get('event', delivery.id);
  if (event && delivery.state === 'delivered') store.put('event', { ...event, pending_webhooks: 0 });
}

function stateAtFirst(fault: WebhookFault | undefined): Delivery['state'] {
  if (fault?.mode === 'lose') return 'lost';
  return fault?.mode === 'withhold' || fault?.mode === 'reorder' ? 'withheld' : 'waiting';
}

/** Delivers events to one seller; continues after a restart with those that were waiting. */
export function openWebhooks({ store, clock }: Pick<Provider, 'store' | 'clock'>, first: WebhookTarget): Webhooks {
  const faults = faultQueue<WebhookFault>();
  const waiting = waitingIn(store);
  const underWay = new Set<string>();
  const stopped = new AbortController();
  let target = first;
  const turned = turnedBatches();

  const keep = (delivery: Delivery) => keepIn(store, waiting, delivery);

  async function attempt(eventId: string): Promise<void> {
    underWay.add(eventId);
    const payload = JSON.stringify(store.get('event', eventId), null, 2);
    const status = await post(target, payload, stopped.signal);
    underWay.delete(eventId);
    const delivery = store.get('delivery', eventId);
    if (!delivery || stopped.signal.aborted) return;
    keep(afterAttempt(delivery, { at: clock.now(), status }));
    store.save();
  }

  async function send(eventIds: readonly string[], copies: number): Promise<void> {
    for (const id of eventIds) {
      const delivery = store.get('delivery', id);
      if (delivery?.state === 'withheld') keep({ ...delivery, state: 'waiting' });
      for (let copy = 0; copy < copies; copy += 1) await attempt(id);
    }
  }

  function take(eventId: string): void {
    const type = store.get('event', eventId)?.type ?? '';
    const now = clock.now();
    const fault = faults.take((one) => one.type === undefined || one.type === type);
    keep({ id: eventId, type, state: stateAtFirst(fault), first_at: now, next_at: now, attempts: [] });
    if (fault?.mode === 'duplicate') {
      for (let copy = 0; copy < fault.copies; copy += 1) void attempt(eventId);
    }
    if (fault?.mode === 'delay') {
      underWay.add(eventId);
      void sleep(fault.ms, undefined, { signal: stopped.signal }).then(
        () => attempt(eventId),
        () => {},
      );
    }
    if (fault?.mode === 'reorder') {
      const ready = turned.add(eventId, fault.count);
      if (ready) void send(ready, 1);
    }
  }

  return {
    faults,
    take,
    send,
    pump() {
      const now = clock.now();
      for (const id of waiting) {
        const delivery = store.get('delivery', id);
        if (delivery && delivery.next_at <= now && !underWay.has(id)) void attempt(id);
      }
    },
    configure(changes) {
      target = { ...target, ...changes };
      return target;
    },
    stop: () => stopped.abort(),
  };
}
