import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { CheckRequest, Report } from '../server/work-check/contract.ts';
import { gatherSources } from '../server/work-check/gather-sources.ts';
import { Proofreader } from '../server/work-check/proofread-trial.ts';
import { indexEvidence } from '../server/work-check/reading/evidence-index.ts';
import { readWork } from '../server/work-check/statements.ts';
import { laterCases, ownCases, plantedWork, readCases, requestOf } from './check-cases.ts';
import { readDataSets } from './check-data.ts';

/**
 * Re-reads every sentence of every report on the repository's cases and on any cases and data sets beside it. Prints
 * how many sentences were read and how many are false. Exits 1 if any is.
 *
 * `npm run check:sentences -- [--rows N]`: N rows of each data set, evenly spread, instead of all.
 */
const DATA = join(import.meta.dirname, '../../shared/data/check');
const NOW = new Date('2026-01-15T12:00:00Z');
const SHOWN = 5;

type SentencesRead = { read: number; wrong: string[] };

/** A report's sentences that are false when read again. */
export function rereadReport(request: CheckRequest, report: Report): SentencesRead {
  const reader = new Proofreader(readWork(request.work_product), indexEvidence(gatherSources(request, [])));
  const said = [
    ...report.findings.map(({ reason, statements = [] }) => ({
      text: reason,
      counted: statements.flatMap((at) => report.statements[at] ?? []),
    })),
    ...report.statements.map(({ why }) => ({ text: why, counted: [] })),
  ];
  return {
    read: said.length,
    wrong: said.flatMap(({ text, counted }) => reader.read(text, counted).map((one) => `${one.rule}: ${one.text}`)),
  };
}

async function sweep(name: string, requests: Iterable<CheckRequest>): Promise<number> {
  const total: SentencesRead & { reports: number } = { reports: 0, read: 0, wrong: [] };
  for (const request of requests) {
    const report = await checkWork(request, { assessor: embeddedAssessor, now: NOW });
    const { read, wrong } = rereadReport(request, report);
    total.reports += 1;
    total.read += read;
    total.wrong.push(...wrong);
  }
  console.log(
    `${name.padEnd(26)} reports ${String(total.reports).padStart(6)}  reasons read ${String(total.read).padStart(7)}  false ${total.wrong.length}`,
  );
  for (const one of total.wrong.slice(0, SHOWN)) console.log(`   ${one}`);
  return total.wrong.length;
}

async function main(): Promise<void> {
  const given = process.argv.indexOf('--rows');
  const rows = given === -1 ? Number.POSITIVE_INFINITY : Number(process.argv[given + 1]);
  let wrong = 0;
  for (const folder of [ownCases, laterCases, join(DATA, 'cases')].filter(existsSync))
    wrong += await sweep(
      `${basename(resolve(folder, '..'))}/${basename(folder)}`,
      readCases(folder).flatMap((one) => [requestOf(one, one.work_product), requestOf(one, plantedWork(one))]),
    );
  for (const folder of [join(DATA, 'train'), join(DATA, 'measure')].filter(existsSync))
    for (const set of readDataSets(folder)) {
      const step = Math.max(1, Math.floor(set.rows.length / rows));
      const taken = set.rows.filter((_, at) => at % step === 0);
      wrong += await sweep(
        set.name,
        taken.map(({ claim, evidence }) => ({ work_product: claim, evidence })),
      );
    }
  process.exitCode = wrong > 0 ? 1 : 0;
}

if (import.meta.main) await main();
