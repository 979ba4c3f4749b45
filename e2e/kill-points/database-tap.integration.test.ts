import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../commands/test-database.ts';
import { tapDatabase } from './database-tap.ts';

const database = await testDatabase();
const tap = await tapDatabase(database.url);
const client = new pg.Client({ connectionString: tap.url });
// The tap cuts this connection in the end.
client.on('error', () => undefined);
await client.connect();
afterAll(() => tap.close());

describe('a door to a database', () => {
  it('knows where a transaction ends, sent whole or in parts, and stops only after its own statement', async () => {
    const reached = tap.stopAt({ after: /select 'done'/ });
    await client.query('begin');
    await client.query('select $1::int', [1]);
    await client.query('commit');
    await client.query("begin; select 'tidied up'; commit;");
    expect((await client.query("select 'going on' as how")).rows).toEqual([{ how: 'going on' }]);
    void client.query("select 'done', $1::int", [1]).catch(() => undefined);
    await expect(reached).resolves.toBeUndefined();
  });
});
