import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { CheckRequest } from '../server/work-check/contract.ts';
import { utf8Bytes } from '../server/work-check/json-value.ts';
import { ownCases, plantedWork, readCases, requestOf } from './check-cases.ts';
import { readDataSets } from './check-data.ts';

/**
 * Processor time of whole reports: milliseconds for each report of the repository's cases, and for each KB of the data
 * sets beside it if they are there. Each figure is the best of several rounds: the machine may be busy with something else.
 *
 * `npm run check:speed`
 */
const MEASURE = join(import.meta.dirname, '../../shared/data/check/measure');
const ROUNDS = 5;
const ROWS = 400;
const NOW = new Date('2026-01-15T12:00:00Z');

/** Milliseconds of this thread for each request, in order. */
async function timesOf(requests: readonly CheckRequest[]): Promise<number[]> {
  const times: number[] = [];
  for (const request of requests) {
    const started = process.threadCpuUsage();
    await checkWork(request, { assessor: embeddedAssessor, now: NOW });
    const { user, system } = process.threadCpuUsage(started);
    times.push((user + system) / 1000);
  }
  return times;
}

/** The least time that each request took in any round, after one that warms up. */
async function bestOf(requests: readonly CheckRequest[]): Promise<number[]> {
  let best = await timesOf(requests);
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = await timesOf(requests);
    best = best.map((time, at) => Math.min(time, times[at] ?? time));
  }
  return best.sort((a, b) => a - b);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const reports = await bestOf(
  readCases(ownCases).flatMap((one) => [requestOf(one, one.work_product), requestOf(one, plantedWork(one))]),
);
const at = (share: number): string => (reports[Math.floor(share * (reports.length - 1))] ?? 0).toFixed(1);
console.log(
  `whole reports of ${reports.length} cases: median ${at(0.5)} ms, 95 percent within ${at(0.95)} ms, slowest ${at(1)} ms`,
);
for (const set of existsSync(MEASURE) ? readDataSets(MEASURE) : []) {
  const step = Math.max(1, Math.floor(set.rows.length / ROWS));
  const rows = set.rows.filter((_, place) => place % step === 0);
  const requests = rows.map(({ claim, evidence }) => ({ work_product: claim, evidence }));
  const bytes = sum(
    rows.map(({ claim, evidence }) => utf8Bytes(claim) + sum(evidence.map(({ text }) => utf8Bytes(text)))),
  );
  const ms = sum(await bestOf(requests));
  console.log(
    `${set.name.padEnd(20)} ${(ms / (bytes / 1024)).toFixed(3)} ms a KB, ${(ms / rows.length).toFixed(2)} ms a report`,
  );
}
