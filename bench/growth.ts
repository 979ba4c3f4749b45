import { type Arena, type Copy, clients } from './arena.ts';
import { ratio, spread, table } from './measure.ts';
import { type Effort, underLoad } from './purchases.ts';
import { readFrom } from './reads.ts';
import { startService } from './service.ts';

type Size = 'small' | 'large';

/** What a hundred times as many purchases in the database cost. */
export async function benchGrowth(
  arena: Arena,
  { rounds, seconds, from, to }: Effort & { from: number; to: number },
): Promise<string> {
  const measured = { purchases: 'purchases', job: 'GET job', replay: 'replay of a check request' } as const;
  const figures: Record<Size, Record<keyof typeof measured, number[]>> = {
    small: { purchases: [], job: [], replay: [] },
    large: { purchases: [], job: [], replay: [] },
  };
  const measure = async (copy: Copy, size: Size) => {
    const { rate } = await underLoad(await startService(copy.env), copy, arena.principals, { seconds });
    const server = await startService(copy.env);
    const reads = await readFrom(server, arena, copy, seconds / 2);
    await server.stop();
    figures[size].purchases.push(rate);
    figures[size].job.push(reads.job);
    figures[size].replay.push(reads.replay);
  };
  await arena.onCopy((small) =>
    arena.onCopy(async (large) => {
      await large.pool.query(`select bench_fill($1, 'more', $2)`, [to - from, arena.principals.length]);
      await large.pool.query('vacuum analyze');
      for (let round = 0; round < rounds; round += 1) {
        await measure(small, 'small');
        await measure(large, 'large');
      }
    }),
  );
  return [
    `## With ${to.toLocaleString('en')} purchases instead of ${from.toLocaleString('en')}, ${clients} clients`,
    table(
      ['', 'before, a second', 'after, a second', 'ratio'],
      Object.entries(measured).map(([key, name]) => {
        const { small, large } = figures;
        const what = key as keyof typeof measured;
        return [name, spread(small[what]).text, spread(large[what]).text, ratio(large[what], small[what])];
      }),
    ),
  ].join('\n');
}
