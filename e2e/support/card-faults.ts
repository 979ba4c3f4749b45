import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { buyingByCard, cards, fillIn, stripeOf } from './card.ts';
import { type Buying, type Flow, flows, openPage, type Stage } from './card-flows.ts';
import type { Service } from './service.ts';

/** What can go wrong once with a call to the card provider. */
export const callFaults = [
  'drop_before',
  'drop_after',
  'hold_before',
  'hold_after',
  'slow',
  'error_500',
  'error_500_after',
  'conflict_409',
  'limit_429',
  'truncate',
  'sever',
] as const;
/** What can go wrong with the provider's events meanwhile. */
export const newsFaults = ['none', 'duplicate', 'delay', 'withhold', 'lose', 'reorder'] as const;

export interface FaultTrial {
  flow: keyof typeof flows;
  call: string;
  fault: (typeof callFaults)[number];
  news: (typeof newsFaults)[number];
}

/** Each call of each flow. */
export const faultPoints: { flow: FaultTrial['flow']; call: string }[] = Object.entries(flows).flatMap(
  ([flow, { calls }]) => calls.map((call) => ({ flow: flow as FaultTrial['flow'], call })),
);

/** A trial for each call of each flow; turning through the lists has each fault and each event fault as well. */
export function faultSample(): { call: string; trials: FaultTrial[] }[] {
  const trials = faultPoints.map((point, index) => ({
    ...point,
    fault: inTurn(callFaults, index),
    news: inTurn(newsFaults, index),
  }));
  const calls = [...new Set(faultPoints.map(({ call }) => call))];
  return calls.map((call) => ({ call, trials: trials.filter((trial) => trial.call === call) }));
}

const inTurn = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;

const manyMicrocents = 100_000_000_000_000;

async function keeping(service: Service, card: string): Promise<Buying> {
  const buying = await buyingByCard(service);
  const { member } = buying;
  const [{ agent_key }] = (await member.get('/api/agent/v1/agents')).body.agents;
  await member.post(`/api/agent/v1/agents/${agent_key}/grant`, { daily_limit_microcents: manyMicrocents });
  await fillIn((await openPage(buying)).url, card, { save: true });
  await stripeOf(service).untilDelivered();
  await service.sweep();
  return buying;
}

/** Two accounts with a saved card, for all trials of a service. */
export async function faultStage(service: Service): Promise<Stage> {
  return { service, buyer: await keeping(service, cards.good), refused: await keeping(service, cards.declinedLater) };
}

const stepSeconds = 10;
const convergedSeconds = 60;

/**
 * One flow with one failing call and one event fault. Within a minute of our clock it must reach its required state,
 * and keep it after all delayed events have arrived.
 */
export async function tryFault(stage: Stage, { flow, call, fault, news }: FaultTrial): Promise<void> {
  const { service } = stage;
  const stripe = stripeOf(service);
  const { begin, end, aheadSeconds = 0 }: Flow = flows[flow];
  // Time goes back between the trials.
  await service.database.pool.query(
    `update card_searches set searched_at = now() - interval '1 hour' where list = 'events'`,
  );
  const arm = async () => {
    if (news !== 'none') await stripe.webhookFault({ mode: news, times: 'always', ms: 300 });
    // The client retries once with the same key when a connection closes.
    await stripe.fault({ mode: fault, on: call, times: fault.startsWith('drop') ? 2 : 1, ms: 300 });
  };
  const releasing = setInterval(() => stripe.release().catch(() => {}), 200);
  let [seconds, ahead] = [0, 0];
  try {
    const standing = await begin(stage, arm, call);
    service.advanceClock(aheadSeconds);
    ahead = aheadSeconds;
    for (; seconds <= convergedSeconds && !same(await standing(), end); seconds += stepSeconds) {
      await sleep(20);
      service.advanceClock(stepSeconds);
      await service.sweep();
    }
    const what = `${flow}: ${call} ${fault}, news ${news}`;
    expect(await standing(), `${what}, after ${seconds} s`).toEqual(end);
    expect(await struck(stage, call), `${what} came to nothing`).toBe(true);
    await stripe.clearFaults();
    await stripe.send();
    await stripe.untilDelivered();
    await service.sweep();
    expect(await standing(), `${what}, once all was heard`).toEqual(end);
  } finally {
    clearInterval(releasing);
    service.advanceClock(-seconds - ahead);
    await stripe.clearFaults();
  }
}

/** Whether the fault has hit its call; waits for calls that are made only now and then. */
async function struck({ service }: Stage, call: string): Promise<boolean> {
  const left = async () => (await stripeOf(service).state()).faults.filter(({ on }) => on === call).length;
  let seconds = 0;
  for (; seconds <= convergedSeconds && (await left()) > 0; seconds += stepSeconds) {
    service.advanceClock(stepSeconds);
    await service.sweep();
  }
  service.advanceClock(-seconds);
  return (await left()) === 0;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
