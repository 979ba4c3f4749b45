import { expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { startService } from '../../e2e/support/service.ts';

const connections = 2;
const modelConnections = 1;
const queueConnections = 2;
const service = await startService(
  { DATABASE_CONNECTIONS: String(connections), DATABASE_MODEL_CONNECTIONS: String(modelConnections) },
  { alone: true },
);

it('a web process serves with as few connections as it is allowed, opens no more, and gives them its name', {
  timeout: 60_000,
}, async () => {
  const agents = await Promise.all(Array.from({ length: 4 }, () => Agent.arrive(service)));
  const answers = await Promise.all(
    agents.flatMap((agent) =>
      Array.from({ length: 10 }, async () => [await agent.quote(), await agent.get('/api/agent/v1/me')]),
    ),
  );
  expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200, 201]));
  const { rows } = await service.database.pool.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity
     where datname = current_database() and application_name = 'work-check web'`,
  );
  expect(rows[0]?.open).toBeGreaterThan(0);
  expect(rows[0]?.open).toBeLessThanOrEqual(connections + modelConnections + queueConnections);
});
