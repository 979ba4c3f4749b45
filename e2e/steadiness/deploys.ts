import { expect } from 'vitest';
import { openBalancer } from '../support/balancer.ts';
import type { Service } from '../support/service.ts';
import { buyers } from './buyers.ts';

/**
 * Replaces two web processes and two workers one by one, `rounds` times, and adds a column to every table, while buyers
 * buy. Each worker is replaced together with a web process, the last pair while the columns are added. No request may
 * be lost, and no purchase may fail.
 */
export async function deployUnderLoad(service: Service, rounds: number): Promise<{ answered: number }> {
  const balancer = await openBalancer();
  const start = async () => {
    const worker = service.startWorker();
    const [door] = await Promise.all([service.startDoor(), worker.ready]);
    balancer.add(door.baseUrl);
    return [door, worker];
  };
  try {
    const pairs = await Promise.all([start(), start()]);
    const load = buyers(service, 2, balancer.baseUrl);
    await load.more(1);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, old] of pairs.entries()) {
        const isLast = index === pairs.length - 1;
        const [next] = await Promise.all([start(), isLast && addColumns(service, `added_${round}`)]);
        pairs[index] = next;
        await Promise.all(old.map((process) => process.stop()));
        // At least one of the two buyers has started a new purchase since.
        await load.more(3);
      }
    }
    await load.stop();
    expect(balancer.failures).toEqual([]);
    await Promise.all(pairs.flat().map((process) => process.stop()));
    return { answered: balancer.answered };
  } finally {
    balancer.close();
  }
}

/** An expanding migration: every table gets a column, without waiting long for any. */
async function addColumns({ database }: Service, column: string): Promise<void> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
       and relname <> '_prisma_migrations'`,
  );
  for (const { name } of rows) {
    for (let tries = 0; ; tries += 1) {
      const client = await database.pool.connect();
      try {
        await client.query('begin');
        await client.query("set local lock_timeout = '500ms'");
        await client.query(`alter table ${name} add column ${column} integer`);
        await client.query('commit');
        break;
      } catch (error) {
        await client.query('rollback');
        if (tries === 20) throw error;
      } finally {
        client.release();
      }
    }
  }
}
