import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppPoint, appPoints, appPointsWithoutWorker, killApp, killWhileSettling } from './app-points.ts';
import {
  cardPoints,
  cardRefundPoints,
  cardRefunds,
  chargePoints,
  contested,
  disputePoints,
  eventPoints,
  furtherCardPoints,
  paidPages,
  unknownCharges,
} from './card-points.ts';
import { identityPoints } from './identity-points.ts';
import { killMigration, migrationPoints } from './migration-points.ts';
import type { Stage } from './stage.ts';
import {
  checkPoints,
  checks,
  killWorkers,
  letterPoints,
  nameOf,
  paymentPoints,
  rechecks,
  refundPoints,
  refunds,
  registrations,
  unknownPayments,
  type WorkerPoint,
  type WorkerTrial,
} from './worker-points.ts';

async function repeated(rounds: number, trial: () => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await trial();
}

/**
 * The points of a short run. PostgreSQL forgets what is written and not committed, so one of those stands for all, the
 * one with money in it; of what is committed and unsent, the points of money and one of a credential do.
 */
const sampled = <Point extends AppPoint | WorkerPoint>(points: readonly Point[], isDeep: boolean): Point[] =>
  points.filter(
    ({ point, stopAt, inFull }) => isDeep || (!inFull && (!('beforeCommitOf' in stopAt) || point.startsWith('K21'))),
  );

/** Victims are started one after the other, and their leases waited for. */
const LEASES_MS = 60 * 60_000;

/** One cardholder may buy ten a day. */
const holderSpare = 3;

/** What workers that are killed have to do. */
function workerTrials(isDeep: boolean): WorkerTrial[] {
  const at = (all: WorkerPoint[], spareMax = all.length) => {
    const points = sampled(all, isDeep);
    return { points, errandsMax: points.length + Math.min(points.length, spareMax) };
  };
  return [
    { name: 'first reports', ...at(checkPoints), make: checks },
    { name: 'open payments', ...at(paymentPoints), make: unknownPayments },
    { name: 'refunds', ...at(refundPoints), make: refunds },
    { name: 'pages that are paid on', ...at(eventPoints, holderSpare), make: paidPages },
    { name: 'letters', ...at(letterPoints), make: registrations },
    ...(isDeep
      ? [
          { name: 'corrected reports', ...at(checkPoints), make: rechecks },
          { name: 'refunds to cards', ...at(cardRefundPoints, holderSpare), make: cardRefunds },
          { name: 'open charges', ...at(chargePoints, holderSpare), make: unknownCharges },
          { name: 'disputes', ...at(disputePoints, holderSpare), make: contested },
        ]
      : []),
  ];
}

/**
 * Declares the trials of all points, each this many times; `isDeep` includes the points for long trials. Money, work
 * and answers must be as if nothing had happened.
 */
export function declareTrials(stage: Stage, rounds: number, { isDeep = false } = {}): void {
  afterEach(async () => {
    expect(await stage.broken()).toEqual([]);
  });

  declareAppTrials(stage, rounds, isDeep);

  describe('workers that are killed leave their work to the next, which does it once', () => {
    beforeAll(() => stage.stack.worker.kill());

    it.each(sampled(appPointsWithoutWorker, isDeep))('$point', (point) =>
      repeated(rounds, () => killApp(stage, point)),
    );

    // A surviving worker waits for leases to end: after each trial in a long run, once in a short one.
    const trials = workerTrials(isDeep);
    const together = isDeep ? trials.map((trial) => [trial]) : [trials];
    for (const some of together) {
      it(some.map(nameOf).join('; '), { timeout: LEASES_MS }, () => repeated(rounds, () => killWorkers(stage, some)));
    }
  });

  describe('a migration that is killed is finished by the next', () => {
    it.each(migrationPoints)('$point', (point) => repeated(rounds, () => killMigration(stage, point)));
  });
}

/** Apps that are killed in the middle of a request. */
function declareAppTrials(stage: Stage, rounds: number, isDeep: boolean): void {
  describe('an app that is killed, and its request sent again, loses nothing and does nothing twice', () => {
    it.each(sampled(appPoints, isDeep))('$point', (point) => repeated(rounds, () => killApp(stage, point)));

    it.each(sampled(identityPoints, isDeep))('$point', (point) => repeated(rounds, () => killApp(stage, point)));

    it.each([...cardPoints, ...(isDeep ? furtherCardPoints : [])])('$point', (point) =>
      repeated(rounds, () => killApp(stage, point)),
    );

    it.each([
      { point: 'K19 before the facilitator carries the payment out', mode: 'hold_before_settle' },
      { point: 'K19 after the facilitator has carried the payment out', mode: 'hold_after_settle' },
    ])('$point', ({ mode }) => repeated(rounds, () => killWhileSettling(stage, mode)));
  });
}
