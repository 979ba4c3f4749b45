import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runExample } from './support/run-example.ts';
import { startScriptedModel } from './support/scripted-model.ts';
import { startService } from './support/service.ts';

const service = await startService();
const folder = mkdtempSync(path.join(tmpdir(), 'examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  cpSync(path.resolve(import.meta.dirname, '../client/examples'), folder, { recursive: true });
  const ask = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  execFileSync('npm', ask, { cwd: folder, stdio: 'pipe' });
  await service.startWorker().ready;
});

it.each(['ai-sdk', 'langchain', 'openai-agents', 'plain-mcp'])(
  'the example %s buys a check in a folder of its own, and pays once',
  async (name) => {
    const model = await startScriptedModel();
    const { out, err, jobs, verdict } = await runExample(path.join(folder, `${name}.ts`), service, model.url);
    model.stop();
    expect([out, err]).toEqual([`The verdict is ${verdict}.\n`, '']);
    expect(jobs).toMatchObject([{ state: 'accepted', payment_state: 'collected' }]);
  },
);
