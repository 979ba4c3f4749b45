import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from './support/agent.ts';
import { buyingByCard, listen } from './support/card.ts';
import { runExample } from './support/run-example.ts';
import { startScriptedModel } from './support/scripted-model.ts';
import { startService, withCard } from './support/service.ts';

const names = ['ai-sdk', 'langchain', 'openai-agents', 'plain-mcp'];
const service = await startService(withCard);
const folder = mkdtempSync(path.join(tmpdir(), 'examples-'));
/** An agent that a customer registered, for each example. */
const registered = new Map<string, Agent>();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  cpSync(path.resolve(import.meta.dirname, '../client/examples'), folder, { recursive: true });
  const ask = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  execFileSync('npm', ask, { cwd: folder, stdio: 'pipe' });
  await listen(service);
  // The worker takes the letters that registrations wait for.
  for (const name of names) registered.set(name, (await buyingByCard(service)).agent);
  await service.startWorker().ready;
});

describe.each(names)('the example %s, in a folder of its own,', (name) => {
  it.each([
    ['over x402', '', () => undefined],
    ['by card', 'Pay at \\S+\\n', () => registered.get(name)],
  ])('buys a check %s, and pays once', async (_, shown, buyer) => {
    const model = await startScriptedModel();
    const options = { modelUrl: model.url, registered: buyer() };
    const { out, err, jobs, verdict } = await runExample(path.join(folder, `${name}.ts`), service, options);
    model.stop();
    expect([out, err]).toEqual([expect.stringMatching(`^${shown}The verdict is ${verdict}\\.\n$`), '']);
    expect(jobs).toMatchObject([{ state: 'accepted', payment_state: 'collected' }]);
  });
});
