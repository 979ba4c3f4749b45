import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { startModelServer } from '../../sandbox/model/server.ts';
import { service as terms } from '../../server/service/terms.ts';
import type { Agent } from '../support/agent.ts';
import { type HangingProxy, hangingProxy } from '../support/hanging-proxy.ts';
import { startService } from '../support/service.ts';
import { percentile, wealthyAgent } from './buyers.ts';
import { leftBehind } from './floods.ts';

const model = await startModelServer(0);
const providers: Record<string, HangingProxy> = {};
/** The same providers without the proxies. */
let direct: Record<string, string> = {};
const service = await startService(async (sandbox) => {
  const before = async (name: string, url: string) => {
    const proxy = await hangingProxy(url);
    providers[name] = proxy;
    return proxy.url;
  };
  direct = {
    X402_FACILITATOR_URL: sandbox.facilitatorUrl,
    X402_RPC_URLS: `84532=${sandbox.rpcUrls[84532]}`,
    SMTP_URL: sandbox.smtpUrl,
    ASSESSOR_COMPATIBLE_URL: model.url,
  };
  return {
    X402_FACILITATOR_URL: await before('facilitator', sandbox.facilitatorUrl),
    X402_NETWORKS: 'eip155:84532',
    X402_RPC_URLS: `84532=${await before('chain', sandbox.rpcUrls[84532])}`,
    SMTP_URL: await before('mail server', sandbox.smtpUrl),
    ASSESSOR_MODELS: 'compatible:sandbox',
    ASSESSOR_COMPATIBLE_URL: await before('model', model.url),
  };
});
afterAll(async () => {
  for (const provider of Object.values(providers)) await provider.close();
  await model.close();
});

const hungMs = 60_000;
const pauseMs = 20;
/** More than a worker's slots for checks. */
const waitingCount = 10;
const paths = ['/api/agent/v1/me', '/api/agent/v1/services/svc_work_check', '/api/agent/v1/purchases'];

/** How long reads that need no provider take, per agent, in alternating turns of this length. */
async function readsFor(agents: readonly Agent[], milliseconds: number): Promise<number[][]> {
  const taken: number[][] = agents.map(() => []);
  const order = agents.map((agent, index) => ({ agent, index }));
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    for (const path of paths) {
      order.reverse();
      for (const { agent, index } of order) {
        const began = performance.now();
        expect((await agent.get(path)).status).toBe(200);
        taken[index]?.push(performance.now() - began);
      }
    }
    await sleep(pauseMs);
  }
  return taken;
}

/** A buyer's need for each provider: payments, their verification, and letters. */
async function demand(agent: Agent): Promise<() => Promise<unknown>> {
  const signed: { jobKey: string; signature: string }[] = [];
  for (let index = 0; index < waitingCount; index += 1) {
    const jobKey = await agent.authorizedJob();
    signed.push({ jobKey, signature: await agent.signPayment(jobKey) });
  }
  return () =>
    Promise.all(
      signed.flatMap(({ jobKey, signature }) => [
        agent.pay(jobKey, { signature }),
        agent.post('/api/agent/v1/registrations', {
          mode: 'new_customer',
          email: `${randomUUID()}@customer.example`,
          agent_name: 'Waiting',
          terms_version: terms.termsVersion,
        }),
      ]),
    );
}

// The machine is shared: compare with another process that asks the same providers directly at the same time.
it.each(['facilitator', 'chain', 'mail server', 'model'])(
  'a %s that hangs for a minute slows down nothing that does not need it',
  async (name) => {
    const [through, beside] = await Promise.all([service.startDoor(), service.startDoor(direct)]);
    const worker = service.startWorker();
    await worker.ready;
    const buyer = await wealthyAgent(service);
    const agents = [buyer.at(through.baseUrl), buyer.at(beside.baseUrl)];
    const ask = await demand(buyer.at(through.baseUrl));
    const before = await readsFor(agents, hungMs / 6);
    const held = await through.memory();
    providers[name]?.hang();
    const asking = ask();
    const during = await readsFor(agents, hungMs);
    providers[name]?.resume();
    await asking;
    const left = await through.memory();
    await Promise.all([through.stop(), beside.stop(), worker.stop()]);
    const [usual = Number.NaN, , hung = Number.NaN, control = Number.NaN] = [...before, ...during].map((taken) =>
      percentile(taken, 99),
    );
    console.log(
      `${name}: p99 ${usual.toFixed(1)} ms, ${hung.toFixed(1)} ms while it hung and ${control.toFixed(1)} ms beside it;`,
      `${left.descriptors - held.descriptors} descriptors and ${left.heapUsed - held.heapUsed} bytes more after it`,
    );
    expect(hung / control).toBeLessThan(2);
    expect(left.descriptors - held.descriptors).toBeLessThan(leftBehind.descriptors);
    expect(left.heapUsed - held.heapUsed).toBeLessThan(leftBehind.heapBytes);
  },
);
