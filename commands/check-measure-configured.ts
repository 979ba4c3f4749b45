import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AssessorModel } from '../server/configuration/assessor.ts';
import { languageModelAssessor } from '../server/work-check/assessors/language-model/assessor.ts';
import type { Spent } from '../server/work-check/assessors/language-model/budget.ts';
import { measuredFile, workCheckVersion } from '../server/work-check/assessors/language-model/measured.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { Measured, Verdict } from '../server/work-check/contract.ts';
import { CheckFailure } from '../server/work-check/failure.ts';
import { areaUnderCurve, balancedAccuracy, type DataRow, type DataSet } from './check-data.ts';

/** How to measure the language models named by the environment, and where to write the result. */
export type ConfiguredOptions = {
  /** How often each row is checked; flips are counted between repeats. */
  repeats: number;
  /** Rows of each set, evenly spread: checks by a model cost money. */
  rows: number;
  /** Where results go; by default the folder that reports read. */
  folder?: string | undefined;
  now: Date;
};

const THRESHOLD = 0.5;
const AT_ONCE = 4;

type Outcome = { verdict: Verdict; score: number; seconds: number; microcents: number | null; tokens: number };
type Row = { set: string; label: 0 | 1; outcomes: Outcome[] };

/**
 * Checks rows of every set with the configured models, `repeats` times each, and writes the figures to a file named by
 * the configuration's digest. Reports of that configuration then state them. A failed check counts in `failed` only.
 */
export async function measureConfigured(
  panel: readonly AssessorModel[],
  sets: readonly DataSet[],
  { repeats, rows, folder, now }: ConfiguredOptions,
): Promise<{ file: string; measured: Omit<Measured, 'this_version'> }> {
  const chosen = sets.flatMap(({ name, rows: all }) => spread(all, rows).map((row) => ({ set: name, row })));
  const results: Row[] = chosen.map(({ set, row }) => ({ set, label: row.label, outcomes: [] }));
  let failed = 0;
  const waiting = results.flatMap((_, at) => Array.from({ length: repeats }, () => at));
  const work = async (): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const row = chosen[at]?.row;
      const outcome = row === undefined ? undefined : await measureRow(panel, row, now);
      if (outcome === undefined) failed += 1;
      else results[at]?.outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const names = panel.map(({ provider, model }) => `${provider}:${model}`).join(', ');
  const measured: Omit<Measured, 'this_version'> = {
    configuration: `rules and engines, with ${names}`,
    measured_at: now.toISOString(),
    measured_on: `${results.length} rows of ${sets.map(({ name }) => name).join(', ')}, ${repeats} ${repeats === 1 ? 'time' : 'times'} each`,
    version: workCheckVersion(),
    figures: figuresOf(results, failed, repeats),
  };
  const file = measuredFile(panel, folder);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  return { file, measured };
}

async function measureRow(panel: readonly AssessorModel[], row: DataRow, now: Date): Promise<Outcome | undefined> {
  let spent: readonly Spent[] = [];
  const assessor = languageModelAssessor(panel, { onSpent: (own) => (spent = own) });
  const started = performance.now();
  try {
    const { verdict, score = 0 } = await checkWork(
      { work_product: row.claim, evidence: row.evidence },
      { assessor, now },
    );
    const prices = spent.map(({ microcents }) => microcents);
    return {
      verdict,
      score,
      seconds: (performance.now() - started) / 1_000,
      microcents: prices.includes(null) ? null : prices.reduce<number>((sum, price) => sum + (price ?? 0), 0),
      tokens: spent.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  } catch (error) {
    if (error instanceof CheckFailure) return undefined;
    throw error;
  }
}

function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, at) => items[Math.floor(at * step)]).filter(
    (item) => item !== undefined,
  );
}

/** Shares in percent. For verdict accuracy, a supported row must be called exactly `supported`. */
function figuresOf(rows: readonly Row[], failed: number, repeats: number): Record<string, number> {
  const outcomes = rows.flatMap(({ label, outcomes: own }) => own.map((outcome) => ({ label, ...outcome })));
  const of = (label: 0 | 1) => outcomes.filter((outcome) => outcome.label === label);
  const verdicts = outcomes.map(({ label, verdict }) => ({ label, score: verdict === 'supported' ? 1 : 0 }));
  const paid = outcomes.flatMap(({ microcents }) => microcents ?? []);
  return {
    rows: rows.length,
    repeats,
    failed,
    accuracy_of_verdicts: percent(balancedAccuracy(verdicts, THRESHOLD)),
    balanced_accuracy: percent(balancedAccuracy(outcomes, THRESHOLD)),
    auc: percent(areaUnderCurve(outcomes)),
    share_decided: percent(share(outcomes, ({ verdict }) => verdict === 'supported' || verdict === 'revise')),
    unsupported_passed: percent(share(of(0), ({ verdict }) => verdict === 'supported')),
    supported_called_revise: percent(share(of(1), ({ verdict }) => verdict === 'revise')),
    flip_rate: percent(flipRate(rows)),
    seconds_per_check: Math.round(mean(outcomes.map(({ seconds }) => seconds)) * 100) / 100,
    tokens_per_check: Math.round(mean(outcomes.map(({ tokens }) => tokens))),
    ...(paid.length === outcomes.length && paid.length > 0 ? { microcents_per_check: Math.round(mean(paid)) } : {}),
  };
}

/** The share of pairs of repeats of a row with different verdicts, 0 to 1. */
function flipRate(rows: readonly Row[]): number {
  let [pairs, flips] = [0, 0];
  for (const { outcomes } of rows)
    for (const [at, { verdict }] of outcomes.entries())
      for (const other of outcomes.slice(at + 1)) {
        pairs += 1;
        if (other.verdict !== verdict) flips += 1;
      }
  return flips / Math.max(1, pairs);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (part: number): number => Math.round(part * 1_000) / 10;
const share = <T>(items: readonly T[], test: (item: T) => boolean): number =>
  items.filter(test).length / Math.max(1, items.length);
