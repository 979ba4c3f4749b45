import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../sandbox/model/server.ts';
import type { AssessorModel } from '../server/configuration/assessor.ts';
import { languageModelAssessor } from '../server/work-check/assessors/language-model/assessor.ts';
import { checkWork } from '../server/work-check/check.ts';
import { readDataSets } from './check-data.ts';
import { measureConfigured } from './check-measure-configured.ts';

const now = new Date('2026-05-13T08:00:00Z');
const evidence = [{ source: 'Guide', text: 'The Aldwych bridge is 312 metres long. It opened on 4 May 1932.' }];
const claims = [
  'The Aldwych bridge is 312 metres long.',
  'The Aldwych bridge is 298 metres long.',
  'It opened on 4 May 1932.',
  'It opened on 9 May 1932.',
];
const rows = claims.map((claim, at) => ({
  id: String(at),
  dataset: 'own',
  evidence,
  claim,
  label: at % 2 === 0 ? 1 : 0,
}));

let server: ModelServer;
const folder = mkdtempSync(path.join(tmpdir(), 'measured-'));
beforeAll(async () => {
  server = await startModelServer(0);
  writeFileSync(path.join(folder, 'own.jsonl.gz'), gzipSync(rows.map((row) => JSON.stringify(row)).join('\n')));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const panelOf = (model: string): AssessorModel[] => {
  const price = { input: 100_000_000, cached: 10_000_000, output: 500_000_000 };
  return [{ provider: 'compatible', model, baseUrl: server.url, timeoutMs: 5_000, tokensMax: 400_000, price }];
};
const reportBy = (model: string) =>
  checkWork(
    { work_product: claims[0] ?? '', evidence },
    { assessor: languageModelAssessor(panelOf(model), { measuredFolder: folder }), now },
  );

describe('measuring the configured models', () => {
  it('writes figures that the reports of that configuration state, and no other', async () => {
    expect((await reportBy('good')).measured).toBeNull();
    const { measured } = await measureConfigured(panelOf('good'), readDataSets(folder), {
      repeats: 2,
      rows: 4,
      folder,
      now,
    });
    expect(measured.figures).toMatchObject({ rows: 4, repeats: 2, failed: 0, unsupported_passed: 0, flip_rate: 0 });
    expect(measured.figures.microcents_per_check).toBeGreaterThan(0);
    const report = await reportBy('good');
    expect(report.measured).toEqual({ ...measured, this_version: true });
    expect(report.limitations.join(' ')).not.toContain('never measured');
    const other = await reportBy('flattering');
    expect(other.measured).toBeNull();
    expect(other.limitations.join(' ')).toContain('never measured');
  });

  it('says when another version was measured', async () => {
    const { file, measured } = await measureConfigured(panelOf('good'), readDataSets(folder), {
      repeats: 1,
      rows: 2,
      folder,
      now,
    });
    writeFileSync(file, JSON.stringify({ ...measured, version: 'before' }));
    expect((await reportBy('good')).measured).toMatchObject({ version: 'before', this_version: false });
  });

  it('counts checks that fail apart, and refuses to measure what is not configured', async () => {
    const { measured } = await measureConfigured(panelOf('wrong-enum'), readDataSets(folder), {
      repeats: 1,
      rows: 4,
      folder,
      now,
    });
    // What rules prove is read, too.
    expect(measured.figures).toMatchObject({ rows: 4, failed: 4 });
    const command = promisify(execFile)(
      process.execPath,
      ['commands/check-measure.ts', '--assessor', 'configured', folder],
      {
        cwd: path.resolve(import.meta.dirname, '..'),
        env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '' },
      },
    );
    await expect(command).rejects.toMatchObject({ stderr: expect.stringContaining('ASSESSOR_MODELS names no model') });
  });
});
