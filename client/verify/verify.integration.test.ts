import { expect, it } from 'vitest';
import { Agent, type Answer } from '../../e2e/support/agent.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { reportDigest } from '../../server/work-check/contract.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import { links } from './links.ts';
import { verifyBundle } from './verify.ts';

const service = await startService();

/** What a buyer keeps of a purchase, by the doors that it has. */
async function kept(agent: Agent, jobKey: string, request: object = exampleRequest) {
  const body = async (path: string) => ((await agent.get(path)) as Answer).body;
  const job = await body(`/api/agent/v1/jobs/${jobKey}`);
  const { receipts, grant_decisions } = await body(`/api/agent/v1/jobs/${jobKey}/receipts`);
  const digests = new Set<string>(receipts.flatMap((one: { report_digest: string | null }) => one.report_digest ?? []));
  const reports = [];
  for (const digest of digests) reports.push(await body(`/api/agent/v1/jobs/${jobKey}/report?report_digest=${digest}`));
  const offer = await body(`/api/agent/v1/purchases/${job.quote_key}`);
  return { bundle_version: '1', offer, grant_decisions, request, reports, receipts };
}

const keys = async () => (await (await fetch(`${service.baseUrl}/.well-known/jwks.json`)).json()) as { keys: [] };

it('finds every link of a purchase that was disputed, corrected and accepted', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'dispute', reason: 'report_incomplete' });
  await service.execute(jobKey);
  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
  const bundle = await kept(agent, jobKey);
  expect(bundle.reports).toHaveLength(2);
  expect(await verifyBundle(bundle, await keys())).toEqual({ holds: [...links], broken: null, not_run: [] });
});

it('finds the links there are before a report is delivered', async () => {
  const agent = await Agent.arrive(service);
  const bundle = await kept(agent, await agent.paidJob());
  const { broken, holds } = await verifyBundle(bundle, await keys());
  expect(broken).toBe(null);
  expect(holds).toEqual(links.slice(0, links.indexOf('reports') + 1));
});

it('names the input when a buyer holds it against what was not sent', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  const bundle = await kept(agent, jobKey, { ...exampleRequest, work_product: 'Another work.' });
  expect((await verifyBundle(bundle, await keys())).broken).toMatchObject({ link: 'input' });
});

it('names the decision that was in force when the payment began, beside the one that the quote was asked for under', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.authorizedJob();
  const member = await Member.of(service, agent);
  const grant = `/api/agent/v1/agents/${agent.wallet.address.toLowerCase()}/grant`;
  expect(await member.post(grant, { total_limit_microcents: 700_000_000 })).toMatchObject({ status: 200 });
  expect(await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) })).toMatchObject({ status: 200 });
  const bundle = await kept(agent, jobKey);
  const [asked, paid] = bundle.grant_decisions;
  expect(asked).toMatchObject({ total_limit_microcents: null });
  expect(paid).toMatchObject({ total_limit_microcents: 700_000_000, principal_key: asked.principal_key });
  expect(bundle.offer.grant_digest).toBe(reportDigest(asked));
  expect(bundle.receipts[0].grant_digest).toBe(reportDigest(paid));
  expect((await verifyBundle(bundle, await keys())).broken).toBe(null);
});

it('finds every link in the file that a member of the account downloads, while the content is kept', async () => {
  const agent = await Agent.arrive(service);
  const jobKey = await agent.paidJob();
  await service.execute(jobKey);
  const member = await Member.of(service, agent);
  const path = `/api/agent/v1/jobs/${jobKey}/bundle`;
  const { body: delivered } = await member.get(path);
  expect(await verifyBundle(delivered, await keys())).toEqual({ holds: [...links], broken: null, not_run: [] });
  // It is what the buyer keeps, and no more.
  const { next_actions: _, ...offer } = delivered.offer;
  expect({ ...delivered, offer }).toMatchObject({
    ...(await kept(agent, jobKey)),
    offer: { input_digest: offer.input_digest },
  });
  expect((await agent.get(path)).body.code).toBe('invalid_token');

  await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, { decision: 'accept' });
  const deleted = await member.send('DELETE', `/api/agent/v1/jobs/${jobKey}/content`);
  expect(deleted.status).toBe(200);
  const gone = await member.get(path);
  expect([gone.status, gone.body.code]).toEqual([409, 'action_not_allowed']);
});
