import { randomBytes } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import pg from 'pg';
import { startThrowawayPostgres } from '../commands/postgres.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { randomText } from '../server/kernel/id.ts';
import { assembled, sql, statement } from '../server/kernel/sql.ts';
import { transact } from '../server/kernel/transaction.ts';

/** Optimisations of the kernel beside the plain way to do the same, in one run: each ratio is plain time to ours. */
export async function benchTricks(rounds: number): Promise<string> {
  const postgres = await startThrowawayPostgres();
  const database = openDatabase(postgres.url);
  const plain = new pg.Pool({ connectionString: postgres.url, max: 16 });
  try {
    const pairs = pairsOf(database, plain);
    const lines: string[] = [];
    for (const [name, count, usual, ours] of pairs) {
      const ratios: number[] = [];
      await timed(count, usual);
      await timed(count, ours);
      for (let round = 0; round < rounds; round += 1)
        ratios.push((await timed(count, usual)) / (await timed(count, ours)));
      ratios.sort((one, other) => one - other);
      const [low, middle, high] = [0, rounds >> 1, rounds - 1].map((at) => ratios[at]?.toFixed(2));
      lines.push(`| ${name} | ${middle} [${low}-${high}] |`);
    }
    return ['| in place of | plain time to ours |', '| --- | ---: |', ...lines].join('\n');
  } finally {
    await plain.end();
    await database.end();
    await postgres.stop();
  }
}

type Pair = readonly [name: string, count: number, usual: (index: number) => unknown, ours: (index: number) => unknown];

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const wide = Array.from(
  { length: 24 },
  (_, index) => `${['1::bigint', "'a text'::text", 'now()'][index % 3]} as column_${index + 1}`,
).join(', ');
const columns = Array.from({ length: 12 }, (_, index) => `column_${index}`);
const longText = (...names: string[]) =>
  `update jobs set ${names.map((name, index) => `${name} = $${index + 1}`).join(', ')}`;

function pairsOf(database: Database, plain: pg.Pool): Pair[] {
  const read = (client: pg.Pool | pg.PoolClient, index: number) =>
    client.query({ name: 'read', text: `select ${wide} where $1::int >= 0`, values: [index] });
  const ten = Array.from({ length: 10 });
  return [
    [
      'a transaction of ten writes, a round trip each (`Batch`)',
      300,
      async (index) => {
        const client = await plain.connect();
        await client.query('begin');
        for (const _ of ten) await read(client, index);
        await client.query('commit');
        client.release();
      },
      (index) =>
        transact(database, async (tx) => {
          for (const _ of ten) tx.write(statement(`select ${wide} where $1::int >= 0`, [index]));
        }),
    ],
    [
      'ten reads at once on the pool (shared lines, columns described once)',
      300,
      (index) => Promise.all(ten.map(() => read(plain, index))),
      (index) =>
        Promise.all(ten.map(() => database.shared.many(statement(`select ${wide} where $1::int >= 0`, [index])))),
    ],
    [
      'a row of 24 columns, each parsed (`to_json` in one column)',
      1_000,
      (index) => database.shared.many(statement(`select ${wide} where $1::int >= 0`, [index])),
      (index) =>
        database.shared.many(
          statement(`select to_json(row) as row from (select ${wide} where $1::int >= 0) row`, [index]),
        ),
    ],
    [
      'the text of a statement assembled each time (`assembled`)',
      50_000,
      (index) => statement(longText(...columns), [index]),
      (index) => assembled(longText, columns, [index]),
    ],
    [
      'the text of a template joined each time (`sql`)',
      50_000,
      (index) =>
        statement(
          ['select ', ' from jobs where job_key = ', ' and state = ', ''].reduce((a, b, at) => `${a}$${at}${b}`),
          [index],
        ),
      (index) => sql`select ${index} from jobs where job_key = ${index} and state = ${index}`,
    ],
    [
      'random bytes asked for a key at a time (`randomText`)',
      20_000,
      () => {
        let text = '';
        for (const byte of randomBytes(28)) text += alphabet[byte % 62];
        return text;
      },
      () => randomText(22),
    ],
  ];
}

/** Milliseconds for `count` of them, eight at a time. */
async function timed(count: number, work: (index: number) => unknown): Promise<number> {
  await nextRound();
  const began = performance.now();
  for (let index = 0; index < count; index += 8) {
    const group = Array.from({ length: 8 }, (_, offset) => work(index + offset));
    if (group[0] instanceof Promise) await Promise.all(group);
  }
  return performance.now() - began;
}
