import { expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { CheckRequest } from './contract.ts';
import { hostileRequests } from './hostile-trial.ts';

/** Prints the processor time of each at the bounds; the aim is 5 s. No time is asserted. */
it.each(hostileRequests)('at the bounds: $name', async ({ name, request }) => {
  const largest = request(1);
  expect(CheckRequest.safeParse(largest).success).toBe(true);
  const before = process.cpuUsage();
  const report = await checkWork(largest, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  const { user, system } = process.cpuUsage(before);
  console.info(`${name}: ${((user + system) / 1e6).toFixed(1)} s, ${report.statements.length} statements`);
});
