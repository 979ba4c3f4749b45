import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Fault } from '../server/work-check/fault.ts';
import { evidenceSource, indexEvidence } from '../server/work-check/reading/evidence-index.ts';
import type { Features } from '../server/work-check/support/feature-list.ts';
import {
  areaUnderCurve,
  balancedAccuracy,
  bareOverlap,
  type DataRow,
  type DataSet,
  readDataSets,
} from './check-data.ts';
import type { Example } from './check-fit.ts';
import { buildLexicon, readGlosses } from './check-lexicon.ts';

/**
 * Rebuilds the embedded assessor's assets from a folder of training data: the word list, then the support model that
 * reads with it. Prints how each family fares when left out of the training.
 *
 * `npm run check:train -- [DIR]`
 */
const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, '../shared/data/check/train'));
const assets = join(root, 'server/work-check/assets');

const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['begin', /^(?:edited_)?begin/],
  ['factcheckgpt', /^(?:edited_)?factcheckgpt/],
  ['halueval', /^(?:edited_)?halueval/],
  ['summedits', /^(?:edited_)?summedits/],
  ['tables', /^(?:tabfact|table_extraction)/],
  ['wice', /^(?:edited_)?wice/],
];
/** Weight of table rows and edited claims: tables teach little about prose, edits much about contradictions. */
const SHARES: readonly (readonly [RegExp, number])[] = [
  [/^table_extraction/, 0],
  [/^tabfact/, 0.4],
  [/^begin_cmu/, 0.5],
  [/^halueval/, 0.7],
  [/^edited_/, 2],
];
/** Left out: tables are not prose, and this set's supported lines are too few and too loose. */
const UNEDITED = /^(?:tab|begin_cmu)/;
/** The mean over the sets; single ones are up to two and three times as high. */
const PASSED_MAX = 0.028;
const BAND_STEPS = 200;
const UNSUPPORTED_BAND = 0.3;

const sets = readDataSets(folder);
writeFileSync(join(assets, 'lexicon.json'), `${JSON.stringify(buildLexicon(sets))}\n`);
// Import what reads an asset only after it is built.
const { buildUsage } = await import('./check-usage.ts');
writeFileSync(join(assets, 'usage.json'), `${JSON.stringify(buildUsage(sets, readGlosses()))}\n`);
const { editedRows, surfaceForms } = await import('./check-edits.ts');
const { fitModel } = await import('./check-fit.ts');
const { readWork } = await import('../server/work-check/statements.ts');
const { readStatement } = await import('../server/work-check/contradictions.ts');
const { costOf } = await import('../server/work-check/assessors/judging.ts');
const { PLACE } = await import('../server/work-check/support/feature-list.ts');
const { readFeatures } = await import('../server/work-check/support/features.ts');
const { supportScore } = await import('../server/work-check/support/model.ts');

/** `faults`: what the rules found. A row with faults never passes as supported. */
type Row = { x: Features; label: number; faults: readonly Fault[]; overlap: number };
type Read = { name: string; rows: Row[] };

const surface = surfaceForms(sets);
const edits = sets.filter(({ name }) => !UNEDITED.test(name)).map((set) => editedRows(set, surface));
const read: Read[] = [...sets, ...edits].map((set) => ({
  name: set.name,
  rows: readRows(set),
}));

function readRows({ rows }: DataSet): Row[] {
  const known = new Map<string, ReturnType<typeof indexEvidence>>();
  return rows.map((row) => {
    const index = indexOf(row, known);
    const faults = readWork(row.claim).statements.flatMap((claim) => readStatement(claim, index).faults);
    return { x: readFeatures(row.claim, index).features, label: row.label, faults, overlap: bareOverlap(row) };
  });
}

function indexOf(row: DataRow, known: Map<string, ReturnType<typeof indexEvidence>>): ReturnType<typeof indexEvidence> {
  const key = JSON.stringify(row.evidence);
  const found = known.get(key);
  if (found !== undefined) return found;
  const sources = row.evidence.map((item, at) =>
    evidenceSource({ ref: `evidence/${at}`, ...item, observed_at: null }, 'supplied'),
  );
  const index = indexEvidence(sources);
  known.set(key, index);
  return index;
}

/** Weighs each set the same, and both labels within it, so that neither size nor mixture is learned. */
function examplesOf(parts: readonly Read[]): Example[] {
  const examples = parts.flatMap(({ name, rows }) => {
    const share = SHARES.find(([pattern]) => pattern.test(name))?.[1] ?? 1;
    const count = (label: number): number => rows.filter((row) => row.label === label).length;
    const single = count(0) === 0 || count(1) === 0;
    const size = Math.min(1, Math.sqrt(rows.length / 800));
    return rows.map(({ x, label }) => ({
      x,
      label,
      weight: ((single ? 0.25 : 1) * share * size) / Math.max(1, count(label)),
    }));
  });
  for (const label of [0, 1]) {
    const own = examples.filter((example) => example.label === label && example.weight > 0);
    const sum = own.reduce((total, { weight }) => total + weight, 0);
    for (const example of own) example.weight *= 0.5 / sum;
  }
  return examples.filter(({ weight }) => weight > 0);
}

/**
 * For each set, read by a model that never saw its family: the unsupported rows that only a band keeps from passing.
 */
const held: { open: number[]; unsupported: number }[] = [];
const results: { auc: number; bacc: number }[] = [];
for (const [family, pattern] of FAMILIES) {
  const model = {
    ...fitModel(examplesOf(read.filter(({ name }) => !pattern.test(name)))),
    bands: { supported: 1, unsupported: 0 },
    measured: { balanced_accuracy: 0, auc: 0 },
  };
  for (const { name, rows } of read.filter((part) => pattern.test(part.name))) {
    const scored = rows.map(({ x, label, faults }) => ({ label, score: supportScore(x, costOf(faults), model) }));
    if (rows.every(({ label }) => label === 0) || name === 'table_extraction') continue;
    const overlap = areaUnderCurve(rows.map((row) => ({ label: row.label, score: row.overlap })));
    const weighted = areaUnderCurve(rows.map(({ x, label }) => ({ label, score: x[PLACE.whole_exact] ?? 0 })));
    const [auc, bacc] = [areaUnderCurve(scored), balancedAccuracy(scored, 0.5)];
    results.push({ auc, bacc });
    const open = scored.flatMap(({ label, score }, at) =>
      label === 0 && rows[at]?.faults.length === 0 ? [score] : [],
    );
    held.push({ open, unsupported: rows.filter(({ label }) => label === 0).length });
    console.log(
      `without ${family.padEnd(13)} ${name.padEnd(24)} AUC ${percent(auc)}  bAcc ${percent(bacc)}  overlap AUC ${percent(overlap)}, by rarity ${percent(weighted)}`,
    );
  }
}
const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const measured = {
  balanced_accuracy: Number(percent(mean(results.map(({ bacc }) => bacc)))),
  auc: Number(percent(mean(results.map(({ auc }) => auc)))),
};
console.log(`mean over families left out: AUC ${measured.auc}  bAcc ${measured.balanced_accuracy}`);

/** The lowest score that at most a small share of unsupported statements reaches, in families never trained on. */
const passedAt = (band: number): number =>
  mean(held.map(({ open, unsupported }) => open.filter((score) => score >= band).length / unsupported));
const supported = Array.from({ length: BAND_STEPS }, (_, at) => 0.5 + (at / BAND_STEPS) * 0.5).find(
  (band) => passedAt(band) <= PASSED_MAX,
);
const bands = { supported: supported ?? 1, unsupported: UNSUPPORTED_BAND };
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(5)) : value;
const model = { ...fitModel(examplesOf(read)), bands, measured };
writeFileSync(join(assets, 'support-model.json'), `${JSON.stringify(model, rounded)}\n`);
console.log(`bands: supported from ${bands.supported.toFixed(3)}, unsupported to ${bands.unsupported}`);

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
