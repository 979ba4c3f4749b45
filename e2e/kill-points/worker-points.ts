import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Agent, type Answer, facilitatorFault } from '../support/agent.ts';
import type { StoppingPoint } from './database-tap.ts';
import { asking, claimByCode, letters, newAddress, newcomer } from './identity-points.ts';
import { inState, isIn, type Stage, whenJob } from './stage.ts';

/** A point at which a worker is killed, and the statement that marks it. */
export interface WorkerPoint {
  readonly point: string;
  readonly stopAt: StoppingPoint;
  /** In long trials only: another point leaves the same behind, of this work or of other work. */
  readonly inFull?: true;
}

/** The queue marks a message as done. */
const acknowledges = /UPDATE pgboss\.\w+\s+SET completed_on/;

/** Points on the way to a report, first or corrected. */
export const checkPoints: WorkerPoint[] = [
  { point: 'K23 the job is taken', stopAt: { after: /update jobs set .*tries = /s } },
  { point: 'K24 the work is not read yet', stopAt: { before: /left join reviews/ }, inFull: true },
  { point: 'K25 in the middle of the check', stopAt: { before: /update jobs set stage = / }, inFull: true },
  {
    point: 'K26 the assessor has answered',
    stopAt: { before: /update jobs set stage = /, saying: 'writing' },
    inFull: true,
  },
  { point: 'K27 the check is done', stopAt: { before: /update jobs set .*report_digest = /s }, inFull: true },
  { point: 'K28 the report is written', stopAt: { beforeCommitOf: /insert into reports/ } },
  { point: 'K28 the report is committed', stopAt: { after: /insert into reports/ } },
  { point: 'K29 the message is acknowledged, the job handed on', stopAt: { after: acknowledges }, inFull: true },
];

/** Points on the way to a letter. */
export const letterPoints: WorkerPoint[] = [
  { point: 'K37 the letter is not let out yet', stopAt: { before: /insert into letters/ }, inFull: true },
  { point: 'K37 the letter is let out, and not sent', stopAt: { after: /insert into letters/ }, inFull: true },
  { point: 'K38 the letter is sent, and not marked', stopAt: { before: /update letters set sent_at/ } },
  { point: 'K38 the letter is marked', stopAt: { after: /update letters set sent_at/ }, inFull: true },
];

/** Points on the way to the end of a payment that no request waits for. */
export const paymentPoints: WorkerPoint[] = [
  { point: 'a payment is taken up', stopAt: { after: /update payments set lease_until/ }, inFull: true },
  { point: 'a payment was carried out', stopAt: { before: /update payments set state = .*decided_at/s } },
  {
    point: 'the collection is committed',
    stopAt: { after: /update payments set state = .*decided_at/s },
    inFull: true,
  },
];

/** Points on the way to the end of a refund. */
export const refundPoints: WorkerPoint[] = [
  { point: 'K34 a refund is taken up', stopAt: { after: /update refunds set tries/ }, inFull: true },
  { point: 'K35 a refund was carried out', stopAt: { before: /update refunds set state = / } },
  { point: 'K35 the refund is written', stopAt: { beforeCommitOf: /update refunds set state = / } },
  { point: 'K35 the refund is committed', stopAt: { after: /update refunds set state = / }, inFull: true },
];

/** Work for a worker: how to create it, and how to wait for its required end. */
export interface Errand {
  begin(): Promise<unknown>;
  ended(): Promise<unknown>;
}

/** An errand for a job, which must reach this state. */
export interface JobErrand extends Errand {
  readonly agent: Agent;
  readonly jobKey: string;
}

/** A free victim has reached its point by then, or will not with this errand. */
const nextErrandMs = 1_500;
const lookAgainMs = 50;

/** Errands of one kind, and the points on their way. */
export interface WorkerTrial {
  readonly name: string;
  readonly points: readonly WorkerPoint[];
  /** Makes as many errands; a worker runs meanwhile. */
  make(stage: Stage, count: number): Promise<Errand[]>;
  /** How many errands may pass before all points are reached. */
  readonly errandsMax: number;
}

const listed = (points: readonly WorkerPoint[]): string => points.map(({ point }) => point).join('; ');
export const nameOf = ({ name, points }: WorkerTrial): string => `${name}: ${listed(points)}`;

/**
 * Lets a worker reach each of the points, kills them all, and requires that a surviving one finishes every errand with
 * its effects once. Trials follow on each other, and the surviving worker comes after the last: no other runs until then.
 */
export async function killWorkers(stage: Stage, trials: readonly WorkerTrial[]): Promise<void> {
  const made = await withWorker(stage, () =>
    Promise.all(trials.map(async (trial) => ({ ...trial, errands: await trial.make(stage, trial.errandsMax) }))),
  );
  const begun: Errand[] = [];
  for (const { points, errands } of made) begun.push(...(await killAtEach(stage, points, errands)));
  const names = trials.map(nameOf).join('; ');
  await withWorker(stage, () => stage.goesOn(names, () => Promise.all(begun.map(({ ended }) => ended()))));
}

/** Starts errands one after the other until a worker was killed at each of the points; returns the errands begun. */
async function killAtEach(stage: Stage, points: readonly WorkerPoint[], errands: Errand[]): Promise<Errand[]> {
  const waiting = new Set(points.map(({ point }) => point));
  const begun: Errand[] = [];
  const victims = await Promise.all(points.map(() => stage.worker()));
  try {
    for (const [index, { point, stopAt }] of points.entries()) {
      void victims[index]?.stopAt(stopAt).then(async () => {
        await victims[index]?.process.kill();
        waiting.delete(point);
      });
    }
    for (const errand of errands) {
      const before = waiting.size;
      await errand.begin();
      begun.push(errand);
      for (let ms = 0; ms < nextErrandMs && waiting.size === before; ms += lookAgainMs) await sleep(lookAgainMs);
      if (waiting.size === 0) break;
    }
    await stage.eventually(
      async () => waiting.size === 0,
      () => `no worker has come to ${[...waiting].join(', ')}`,
    );
  } finally {
    await Promise.all(victims.map(({ process }) => process.kill()));
  }
  return begun;
}

/** Runs `work` while a worker runs, then stops the worker. */
async function withWorker<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  const worker = stage.stack.startWorker();
  try {
    return await work();
  } finally {
    // Otherwise it would do the work at which the next trial's workers must be killed.
    await worker.kill();
  }
}

/** Work that takes long enough to show progress. */
const longWork: Record<string, unknown> = {
  work_product: Array.from({ length: 1_000 }, (_, shop) => `Shop ${shop} sold ${shop * 7} chairs in March.`).join(' '),
};

/** Checks to run: jobs paid while no worker runs. */
export async function checks(
  stage: Stage,
  count: number,
  work: Record<string, unknown> = longWork,
): Promise<JobErrand[]> {
  return each(count, async () => {
    const agent = await stage.arrive();
    const jobKey = await agent.authorizedJob(work);
    const signature = await agent.signPayment(jobKey);
    return {
      agent,
      jobKey,
      begin: () => agent.pay(jobKey, { signature }),
      ended: () =>
        whenJob(stage, { agent, jobKey }, (job) => isIn({ state: 'delivered' })(job) || isGivenUp(job), 'delivered'),
    };
  });
}

/** Workers that may die with the same job. */
const startsMax = 3;

/**
 * Whether the job failed because too many workers died with it, and its payment is credited. On a slow machine leases
 * end before the next point is reached, and several victims take the same job.
 */
function isGivenUp({ state, payment_state, timeline }: Answer['body']): boolean {
  const starts = timeline.filter(({ event }: { event: string }) => event === 'start').length;
  return state === 'failed' && payment_state === 'credited' && starts > startsMax;
}

/** Re-checks to run, of reports that a worker delivered before. */
export async function rechecks(
  stage: Stage,
  count: number,
  work: Record<string, unknown> = longWork,
): Promise<JobErrand[]> {
  return each(count, async () => {
    const agent = await stage.arrive();
    const jobKey = await agent.paidJob(work);
    await inState(stage, agent, jobKey, { state: 'delivered' });
    return {
      agent,
      jobKey,
      begin: () => dispute(agent, jobKey),
      ended: () => inState(stage, agent, jobKey, { state: 'redelivered' }),
    };
  });
}

/** Refunds to pay, for reports that a worker corrected before. */
export async function refunds(stage: Stage, count: number): Promise<JobErrand[]> {
  const corrected = await rechecks(stage, count, {});
  for (const { begin } of corrected) await begin();
  return Promise.all(
    corrected.map(async ({ agent, jobKey, ended }) => {
      await ended();
      return {
        agent,
        jobKey,
        begin: () => dispute(agent, jobKey),
        ended: () => inState(stage, agent, jobKey, { payment_state: 'refunded' }),
      };
    }),
  );
}

/** Payments with an unknown outcome: the facilitator broke off before executing them. */
export async function unknownPayments(stage: Stage, count: number): Promise<JobErrand[]> {
  const errands = await checks(stage, count, {});
  return errands.map((errand) => ({
    ...errand,
    async begin() {
      await facilitatorFault(stage.stack.sandboxUrl, { mode: 'drop_before_settle' });
      await errand.begin();
    },
  }));
}

/** Letters to write: each agent has registered for somebody. */
export function registrations(stage: Stage, count: number): Promise<Errand[]> {
  return each(count, async () => {
    const [agent, email] = [newcomer(stage), newAddress()];
    let registration: Answer;
    return {
      async begin() {
        registration = await stage.send(agent, asking(email));
      },
      async ended() {
        await claimByCode(stage, agent, registration, email);
        // A crash between sending and marking sends the same letter again, and no other.
        expect(new Set(await letters(stage, email)).size).toBe(1);
      },
    };
  });
}

async function dispute(agent: Agent, jobKey: string): Promise<void> {
  const { body } = await agent.job(jobKey);
  const answer = await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, {
    decision: 'dispute',
    reason: 'citation_invalid',
    report_digest: body.report_digest,
  });
  expect(answer.status, answer.text).toBe(200);
}

const each = <T extends Errand>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));
