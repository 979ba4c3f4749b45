import { expect, it } from 'vitest';
import { Agent } from '../e2e/support/agent.ts';
import { startService } from '../e2e/support/service.ts';
import { operatorsNow } from '../server/identity/operators.ts';
import { spendSignInLink } from '../server/identity/sign-in.ts';
import { newcomerLinks } from './demo-links.ts';

const service = await startService();

it("sign a newcomer in as a member of the buyer's account and as an operator, however often the demo runs", async () => {
  const agent = await Agent.arrive(service);
  const { account_key: accountKey } = (await agent.get('/api/agent/v1/me')).body;
  const { db, clock } = service.runtime;
  for (let run = 0; run < 2; run += 1) {
    const links = await newcomerLinks(db, service.baseUrl, accountKey, clock());
    const from = { origin: '192.0.2.0/24', browser: 'a test', marks: null };
    for (const link of [links.customer, links.operator]) {
      const token = new URL(link ?? '').searchParams.get('link') ?? '';
      expect(await spendSignInLink(service.runtime, token, clock(), from)).not.toBeNull();
      expect(await spendSignInLink(service.runtime, token, clock(), from)).toBeNull();
    }
    expect(await operatorsNow(db)).toEqual([expect.objectContaining({ email: 'operator@example.com', role: 'admin' })]);
  }
  expect((await newcomerLinks(db, service.baseUrl, null, clock())).customer).toBeNull();
});
