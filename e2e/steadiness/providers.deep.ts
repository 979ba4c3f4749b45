import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { startModelServer } from '../../sandbox/model/server.ts';
import { Agent } from '../support/agent.ts';
import { type HangingProxy, hangingProxy } from '../support/hanging-proxy.ts';
import { startService } from '../support/service.ts';
import { percentile } from './buyers.ts';

const model = await startModelServer(0);
const providers: Record<string, HangingProxy> = {};
const service = await startService(async (sandbox) => {
  const before = async (name: string, url: string) => {
    const proxy = await hangingProxy(url);
    providers[name] = proxy;
    return proxy.url;
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

/** How long reads that need no provider take, one after the other, for so long. */
async function readsFor(agent: Agent, milliseconds: number): Promise<number[]> {
  const taken: number[] = [];
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    for (const path of ['/api/agent/v1/me', '/api/agent/v1/services/svc_work_check', '/api/agent/v1/purchases']) {
      const began = performance.now();
      expect((await agent.get(path)).status).toBe(200);
      taken.push(performance.now() - began);
    }
    await sleep(pauseMs);
  }
  return taken;
}

it.each(['facilitator', 'chain', 'mail server', 'model'])(
  'a %s that hangs for a minute slows down nothing that does not need it',
  async (name) => {
    const agent = (await Agent.arrive(service)).at((await service.startDoor()).baseUrl);
    await readsFor(agent, 5_000);
    const usual = percentile(await readsFor(agent, hungMs / 2), 99);
    providers[name]?.hang();
    const hung = percentile(await readsFor(agent, hungMs), 99);
    providers[name]?.resume();
    console.log(`${name}: p99 ${usual.toFixed(1)} ms, and ${hung.toFixed(1)} ms while it hung`);
    expect(hung / usual).toBeLessThan(2);
  },
);
