import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../sandbox/model/server.ts';
import { languageModelAssessor } from '../server/work-check/assessors/language-model/assessor.ts';
import { checkWork } from '../server/work-check/check.ts';
import { recorded, replayed } from './check-recordings.ts';

let server: ModelServer;
const folder = mkdtempSync(path.join(tmpdir(), 'recordings-'));
beforeAll(async () => {
  server = await startModelServer(0);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const request = {
  work_product: 'The Aldwych bridge is 312 metres long. It opened, they say, on the 4th of May in 1932.',
  evidence: [{ source: 'Guide', text: 'The Aldwych bridge is 312 metres long. It opened on 4 May 1932.' }],
  criteria: ['Says when the bridge was opened'],
};
const options = { now: new Date('2026-05-13T08:00:00Z'), seed: 'a case' };
type Around = Parameters<typeof languageModelAssessor>[1];
const check = (around: Around, baseUrl: string, changed = {}) =>
  checkWork(
    { ...request, ...changed },
    {
      ...options,
      assessor: languageModelAssessor(
        [{ provider: 'compatible', model: 'good', baseUrl, timeoutMs: 5_000, tokensMax: 400_000 }],
        around,
      ),
    },
  );

it('a recorded check comes out the same without the model', async () => {
  const live = await check({ around: (model) => recorded(model, folder) }, server.url);
  const missing = { count: 0 };
  const again = await check({ around: (model) => replayed(model, folder, missing) }, 'http://127.0.0.1:9/v1');
  expect(again).toEqual(live);
  expect(missing.count).toBe(0);
});

it('what was never asked is counted as missing', async () => {
  const missing = { count: 0 };
  const criteria = ['Says who built the bridge'];
  await check({ around: (model) => replayed(model, folder, missing) }, 'http://127.0.0.1:9/v1', { criteria });
  expect(missing.count).toBeGreaterThan(0);
});
