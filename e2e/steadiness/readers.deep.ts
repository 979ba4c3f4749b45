import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { unlimited } from '../../commands/environment.ts';
import { freePort } from '../../sandbox/ports.ts';
import { Member } from '../support/member.ts';
import { startService } from '../support/service.ts';
import { buyers, percentile, wealthyAgent } from './buyers.ts';
import { largestCheck } from './floods.ts';

/**
 * Readers of one network come again and again to the page of the largest report, on the built app with the limits of
 * production, beside a buyer of another network. `PROFILE=folder` keeps a profile of the web process.
 */
const readers = 18;
const purchases = 8;
const rounds = 3;

const service = await startService();
const worker = service.startWorker();
await worker.ready;

const port = await freePort();
const limitsOfProduction = Object.fromEntries(Object.keys(unlimited).map((name) => [name, '']));
const profile = process.env.PROFILE;
const web = spawn(
  process.execPath,
  [
    ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
    path.join(import.meta.dirname, '../../server/start.ts'),
  ],
  {
    env: { ...process.env, ...service.environment, ...limitsOfProduction, NODE_ENV: 'production', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const baseUrl = `http://127.0.0.1:${port}`;
afterAll(async () => {
  web.kill('SIGTERM');
  await worker.stop();
});

const ticksASecond = 100;
/** Processor time of the web process so far, in seconds (proc(5)). */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${web.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond;
}

/** The largest report, and what its reader sends. */
async function report() {
  const agent = await wealthyAgent(service);
  const jobKey = await agent.paidJob(largestCheck);
  await expect
    .poll(async () => (await agent.job(jobKey, { prefer: 'wait=5' })).body.state, { timeout: 300_000 })
    .toBe('delivered');
  const member = await Member.of(service, agent);
  return {
    address: `${baseUrl}/reports/${jobKey}`,
    headers: { ...member.identity(), 'x-forwarded-for': '203.0.113.7' },
  };
}

const countedPages = async () => {
  const { rows } = await service.database.pool.query<{ used: number }>(
    "select used from rate_counts where subject = '203.0.113.0/24' and limit_name = 'pages'",
  );
  return rows[0]?.used ?? 0;
};

it('a flood of readers of the largest report is served or refused, counted by its cost, and stops no purchase', async () => {
  await expect
    .poll(
      () =>
        fetch(`${baseUrl}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 120_000 },
    )
    .toBe(200);
  const { address, headers } = await report();
  const read = () => fetch(address, { headers });
  // What the first page compiles is no flood's.
  await (await read()).text();
  await service.database.pool.query('delete from rate_counts');
  const before = cpuSeconds();
  const once = await read();
  const bytes = (await once.arrayBuffer()).byteLength;
  const cost = cpuSeconds() - before;
  expect(once.status).toBe(200);
  await expect.poll(countedPages).toBeGreaterThan(1);
  const weight = await countedPages();

  const load = buyers(service, 1, baseUrl);
  const bought = async () => {
    const from = load.purchases.length;
    await load.more(purchases);
    return load.purchases.slice(from);
  };
  await bought();
  const alone: number[] = [];
  const beside: number[] = [];
  const answers = new Map<number, number>();
  let cpu = 0;
  let seconds = 0;
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await bought()));
    let isOver = false;
    const [began, from] = [performance.now(), cpuSeconds()];
    const flood = Promise.all(
      Array.from({ length: readers }, async () => {
        while (!isOver) {
          const answer = await read();
          await answer.arrayBuffer();
          answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
          if (answer.status === 200) continue;
          expect([429, 503]).toContain(answer.status);
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
          // Who asks without a pause has the whole processor of this trial.
          await sleep(10);
        }
      }),
    );
    beside.push(...(await bought()));
    isOver = true;
    await flood;
    cpu += cpuSeconds() - from;
    seconds += (performance.now() - began) / 1_000;
  }
  await load.stop();
  expect(answers.get(200)).toBeGreaterThan(0);
  expect(load.purchases.length).toBeGreaterThanOrEqual((1 + 2 * rounds) * purchases);
  console.log(
    `${readers} readers of a page of ${bytes} bytes, which costs ${cost.toFixed(2)} s of processor and counts ${weight} times:`,
    `${JSON.stringify(Object.fromEntries(answers))} in ${seconds.toFixed(0)} s, ${cpu.toFixed(1)} s of processor;`,
    `the middle purchase ${(percentile(beside, 50) / percentile(alone, 50)).toFixed(2)} times as long as`,
    `${percentile(alone, 50).toFixed(0)} ms, the slowest ${(percentile(beside, 99) / percentile(alone, 99)).toFixed(2)} times`,
  );
});
