import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AssessorModel, readAssessorModels } from '../server/configuration/assessor.ts';
import { ConfigurationError } from '../server/kernel/configuration-error.ts';
import { utf8Bytes } from '../server/kernel/json-value.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { Report } from '../server/work-check/contract.ts';
import { isWithin } from '../server/work-check/verdict.ts';
import {
  areaUnderCurve,
  balancedAccuracy,
  bareOverlap,
  type DataRow,
  type DataSet,
  readDataSets,
} from './check-data.ts';
import { measureConfigured } from './check-measure-configured.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

/**
 * Measures the assessor on a folder of `*.jsonl.gz`.
 *
 * `npm run check:measure -- [DIR] [--json]` measures the embedded one. `npm run check:measure -- --assessor configured
 * [--repeats N] [--rows N] [DIR]` also measures the language models that `ASSESSOR_MODELS` names, on N rows of each
 * set, and writes a file that their reports then state.
 */
const root = resolve(import.meta.dirname, '..');
const json = process.argv.includes('--json');
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const values = ['assessor', 'repeats', 'rows'].flatMap((name) => option(name) ?? []);
const named = process.argv.slice(2).find((argument) => !argument.startsWith('--') && !values.includes(argument));
const folder = resolve(named ?? join(root, '../shared/data/check/measure'));
const THRESHOLD = 0.5;
const WARM_UP_ROWS = 200;
const ROWS_PER_SET = 50;
const NOW = new Date('2026-01-01T00:00:00Z');

/** The part of a report worth keeping: a heap full of whole reports would slow the rest. */
type Kept = { verdict: Report['verdict']; first: Report['findings'][number]['status'] | undefined };
type Measured = Kept & { row: DataRow; label: number; score: number };

async function measureRow(row: DataRow): Promise<Measured> {
  const report = await checkWork(
    { work_product: row.claim, evidence: row.evidence },
    { assessor: embeddedAssessor, now: NOW },
  );
  const { verdict, findings, score = 0 } = report;
  return { row, label: row.label, score, verdict, first: findings[0]?.status };
}

/** Measures rows in sequence. Times them together, because reading the clock takes time. */
async function measureRows(rows: readonly DataRow[]): Promise<{ measured: Measured[]; ms: number }> {
  const measured: Measured[] = [];
  // Processor time: ignores other load on the machine.
  const started = process.threadCpuUsage();
  for (const row of rows) measured.push(await measureRow(row));
  const { user, system } = process.threadCpuUsage(started);
  return { measured, ms: (user + system) / 1_000 };
}

const bytesOf = ({ claim, evidence }: DataRow): number =>
  utf8Bytes(claim) + evidence.reduce((sum, item) => sum + utf8Bytes(item.text), 0);

const bytesIn = (rows: readonly Measured[]): number => rows.reduce((sum, { row }) => sum + bytesOf(row), 0);
const msPerKb = (ms: number, bytes: number): number => Math.round((ms / bytes) * 1024 * 1000) / 1000;
const percent = (share: number): number => Math.round(share * 1000) / 10;
const share = <T>(items: readonly T[], test: (item: T) => boolean): number =>
  items.filter(test).length / Math.max(1, items.length);

function summarizeSet(name: string, rows: readonly Measured[], ms: number) {
  const decided = rows.filter(({ verdict }) => verdict === 'supported' || verdict === 'revise');
  const supported = rows.filter(({ label }) => label === 1);
  return {
    name,
    rows: rows.length,
    balanced_accuracy: percent(balancedAccuracy(rows, THRESHOLD)),
    auc: percent(areaUnderCurve(rows)),
    overlap_auc: percent(areaUnderCurve(rows.map(({ row, label }) => ({ label, score: bareOverlap(row) })))),
    share_decided: percent(decided.length / Math.max(1, rows.length)),
    unsupported_passed: percent(
      share(
        rows.filter(({ label }) => label === 0),
        ({ verdict }) => verdict === 'supported',
      ),
    ),
    supported_contradicted: percent(share(supported, ({ first }) => first === 'contradicted')),
    ms_per_kb: msPerKb(ms, bytesIn(rows)),
  };
}

function summarizePairs(rows: readonly Measured[]) {
  const originals = new Map(rows.filter(({ label }) => label === 1).map((measured) => [measured.row.pair, measured]));
  const kinds = new Map<string, { fell: number; pairs: number }>();
  let [fell, pairs] = [0, 0];
  for (const edited of rows.filter(({ label }) => label === 0)) {
    const original = originals.get(edited.row.pair);
    if (original === undefined) continue;
    const kind = kinds.get(edited.row.kind ?? 'edit') ?? { fell: 0, pairs: 0 };
    const lower = edited.score < original.score ? 1 : 0;
    kinds.set(edited.row.kind ?? 'edit', { fell: kind.fell + lower, pairs: kind.pairs + 1 });
    fell += lower;
    pairs += 1;
  }
  const by_kind = Object.fromEntries(
    [...kinds].sort().map(([kind, count]) => [kind, percent(count.fell / count.pairs)]),
  );
  return { pairs, fell: percent(fell / Math.max(1, pairs)), by_kind };
}

async function countRaised(rows: readonly Measured[], clean: ReadonlyMap<string, DataRow>): Promise<number> {
  let raised = 0;
  for (const { row, verdict } of rows) {
    const { payload = '' } = row;
    const stripped = {
      ...row,
      evidence: row.evidence.map((item) => ({ ...item, text: item.text.replaceAll(payload, '').trim() })),
    };
    const before = await measureRow(clean.get(row.clean_id ?? '') ?? stripped);
    if (!isWithin(verdict, before.verdict)) raised += 1;
  }
  return raised;
}

if (option('assessor') === 'configured') await runCommand(measureModels);

const sets: DataSet[] = readDataSets(folder);
const clean = new Map(sets.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)));
const summaries: ReturnType<typeof summarizeSet>[] = [];
let pairs = { pairs: 0, fell: 0, by_kind: {} as Record<string, number> };
const injections = { rows: 0, raised: 0 };
const all = { ms: 0, bytes: 0 };
// Warm up first: workers run for hours.
for (const { rows } of sets) await measureRows(rows.slice(0, WARM_UP_ROWS));
for (const { name, rows } of sets) {
  const { measured, ms } = await measureRows(rows);
  const isPairs = rows.some(({ pair }) => pair !== undefined);
  const isInjection = rows.some(({ payload }) => payload !== undefined);
  if (isPairs) pairs = summarizePairs(measured);
  if (isInjection) {
    injections.rows += rows.length;
    injections.raised += await countRaised(measured, clean);
  }
  all.ms += ms;
  all.bytes += bytesIn(measured);
  const summary = summarizeSet(name, measured, ms);
  if (!json) console.log(line(summary));
  if (!isPairs && !isInjection) summaries.push(summary);
}
const mean = (key: 'balanced_accuracy' | 'auc' | 'share_decided' | 'unsupported_passed'): number =>
  Math.round((summaries.reduce((sum, set) => sum + set[key], 0) / Math.max(1, summaries.length)) * 10) / 10;
const assets = join(root, 'server/work-check/assets');
const result = {
  sets: summaries,
  mean: {
    balanced_accuracy: mean('balanced_accuracy'),
    auc: mean('auc'),
    share_decided: mean('share_decided'),
    unsupported_passed: mean('unsupported_passed'),
  },
  pairs,
  injections,
  assets_bytes: readdirSync(assets).reduce((sum, file) => sum + statSync(join(assets, file)).size, 0),
};
if (json) console.log(JSON.stringify(result));
else {
  console.log(`mean: ${JSON.stringify(result.mean)}`);
  console.log(`pairs: ${JSON.stringify(pairs)}`);
  console.log(`injections: ${JSON.stringify(injections)}`);
  console.log(`all sets: ms/KB ${msPerKb(all.ms, all.bytes)}`);
  console.log(`assets: ${result.assets_bytes} bytes`);
}

/** Prints the figures of the configured models, as written. */
async function measureModels(): Promise<number> {
  const panel = configuredModels();
  if (panel.length === 0) throw new Refusal('ASSESSOR_MODELS names no model to measure.');
  const { file, measured } = await measureConfigured(panel, readDataSets(folder), {
    repeats: countOf('repeats', 1),
    rows: countOf('rows', ROWS_PER_SET),
    now: new Date(),
  });
  console.log(JSON.stringify(measured, null, json ? 0 : 2));
  console.log(file);
  return 0;
}

function configuredModels(): AssessorModel[] {
  try {
    return readAssessorModels(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Refusal(error.message);
  }
}

function countOf(name: string, otherwise: number): number {
  const count = Number(option(name) ?? otherwise);
  if (!Number.isSafeInteger(count) || count < 1) throw new Refusal(`--${name} takes a whole number from 1 on.`);
  return count;
}

function line(set: ReturnType<typeof summarizeSet>): string {
  return `${set.name.padEnd(24)} rows ${String(set.rows).padStart(5)}  bAcc ${set.balanced_accuracy}  AUC ${set.auc}  overlap ${set.overlap_auc}  decided ${set.share_decided}  passed ${set.unsupported_passed}  supported contradicted ${set.supported_contradicted}  ms/KB ${set.ms_per_kb}`;
}
