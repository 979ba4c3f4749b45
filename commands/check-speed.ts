import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { utf8Bytes } from '../server/kernel/json-value.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { CheckRequest } from '../server/work-check/contract.ts';
import { ownCases, readCases, requestOf } from './check-cases.ts';
import { readDataSets } from './check-data.ts';

/**
 * Processor time: milliseconds per whole report of the repository's cases, and for any data sets beside it per KB. Each
 * figure is the best of several rounds, to ignore other load.
 *
 * `npm run check:speed`
 */
const MEASURE = join(import.meta.dirname, '../../shared/data/check/measure');
const ROUNDS = 3;
const REPEATS = 10;
const ROWS = 400;
const NOW = new Date('2026-01-15T12:00:00Z');

const report = (request: CheckRequest): Promise<unknown> =>
  checkWork(request, { assessor: embeddedAssessor, now: NOW });

/** This thread's milliseconds for a batch of requests: the best of several rounds after a warm-up. */
async function bestOf<R>(requests: readonly R[], run: (request: R) => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round += 1) {
    // A thread's clock is coarse: read it once per round.
    const started = process.threadCpuUsage();
    for (const request of requests) await run(request);
    const { user, system } = process.threadCpuUsage(started);
    if (round > 0) best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const reports: number[] = [];
for (const one of readCases(ownCases)) {
  const request = requestOf(one, one.work_product);
  reports.push(
    (await bestOf(
      Array.from({ length: REPEATS }, () => request),
      report,
    )) / REPEATS,
  );
}
reports.sort((a, b) => a - b);
const at = (share: number): string => (reports[Math.floor(share * (reports.length - 1))] ?? 0).toFixed(1);
console.log(`whole reports of ${reports.length} cases: median ${at(0.5)} ms, slowest ${at(1)} ms`);
for (const set of existsSync(MEASURE) ? readDataSets(MEASURE) : []) {
  const step = Math.max(1, Math.floor(set.rows.length / ROWS));
  const rows = set.rows.filter((_, place) => place % step === 0);
  const requests = rows.map(({ claim, evidence }) => ({ work_product: claim, evidence }));
  const bytes = sum(
    rows.map(({ claim, evidence }) => utf8Bytes(claim) + sum(evidence.map(({ text }) => utf8Bytes(text)))),
  );
  const whole = await bestOf(requests, report);
  const perKb = (ms: number): string => (ms / (bytes / 1024)).toFixed(3);
  console.log(`${set.name.padEnd(20)} ${perKb(whole)} ms a KB, ${(whole / rows.length).toFixed(2)} ms each`);
}
