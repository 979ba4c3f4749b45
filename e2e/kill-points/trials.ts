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
  paymentPoints,
  rechecks,
  refundPoints,
  refunds,
  registrations,
  unknownPayments,
  type WorkerPoint,
  withWorker,
} from './worker-points.ts';

const listed = (points: WorkerPoint[]) => points.map(({ point }) => point).join('; ');

async function repeated(rounds: number, trial: () => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await trial();
}

/**
 * The points of a short run: PostgreSQL forgets what is written and not committed, so one of those stands for all, the
 * one with money in it.
 */
const sampled = (points: AppPoint[], isDeep: boolean): AppPoint[] =>
  points.filter(({ point, stopAt }) => isDeep || !('beforeCommitOf' in stopAt) || point.startsWith('K21'));

/** What workers that are killed have to do with cards. */
function cardErrands(isDeep: boolean) {
  return [
    { name: 'pages that are paid on', points: eventPoints, make: paidPages },
    ...(isDeep
      ? [
          { name: 'refunds to cards', points: cardRefundPoints, make: cardRefunds },
          { name: 'open charges', points: chargePoints, make: unknownCharges },
          { name: 'disputes', points: disputePoints, make: contested },
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

    it(`first reports: ${listed(checkPoints)}`, () =>
      repeated(rounds, async () => killWorkers(stage, checkPoints, await checks(stage, 2 * checkPoints.length))));

    if (isDeep) {
      it(`corrected reports: ${listed(checkPoints)}`, () =>
        repeated(rounds, async () =>
          killWorkers(stage, checkPoints, await withWorker(stage, () => rechecks(stage, 2 * checkPoints.length))),
        ));
    }

    it(`open payments: ${listed(paymentPoints)}`, () =>
      repeated(rounds, async () =>
        killWorkers(stage, paymentPoints, await unknownPayments(stage, 2 * paymentPoints.length)),
      ));

    it(`refunds: ${listed(refundPoints)}`, () =>
      repeated(rounds, async () =>
        killWorkers(stage, refundPoints, await withWorker(stage, () => refunds(stage, 2 * refundPoints.length))),
      ));

    it.each(cardErrands(isDeep))('$name', ({ points, make }) =>
      repeated(rounds, async () =>
        killWorkers(stage, points, await withWorker(stage, () => make(stage, points.length + 3))),
      ),
    );

    it(`letters: ${listed(letterPoints)}`, () =>
      repeated(rounds, async () =>
        killWorkers(stage, letterPoints, await registrations(stage, 2 * letterPoints.length)),
      ));
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
