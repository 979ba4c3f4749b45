import { type Arena, type Copy, clients } from './arena.ts';
import { ratio, spread, table } from './measure.ts';
import { type Effort, underLoad } from './purchases.ts';
import { startService } from './service.ts';

/** As many jobs as the hot grant has authorized today before it is measured again. */
const jobsToday = 20_000;

/** Whether buyers of one grant wait for each other: its limits are one row that each purchase locks. */
export async function benchHotGrant(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const hot = arena.principals.slice(0, 1);
  const spreadOut: number[] = [];
  const one: number[] = [];
  const full: number[] = [];
  const load = async (copy: Copy, principals = arena.principals) =>
    (await underLoad(await startService(copy.env), copy, principals, { seconds })).rate;
  for (let round = 0; round < rounds; round += 1) {
    spreadOut.push(await arena.onCopy((copy) => load(copy)));
    one.push(await arena.onCopy((copy) => load(copy, hot)));
    full.push(
      await arena.onCopy(async (copy) => {
        await copy.pool.query(`select bench_fill($1, 'today', 1)`, [jobsToday]);
        await copy.pool.query('vacuum analyze');
        return load(copy, hot);
      }),
    );
  }
  return [
    `## One grant for all ${clients} clients`,
    table(
      ['', 'purchases/s', 'ratio'],
      [
        [`${arena.principals.length} grants`, spread(spreadOut).text, '1'],
        ['one grant', spread(one).text, ratio(one, spreadOut)],
        [`one grant, after ${jobsToday} jobs that day`, spread(full).text, ratio(full, spreadOut)],
      ],
    ),
  ].join('\n');
}
