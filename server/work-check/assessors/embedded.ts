import type { Measured } from '../contract.ts';
import { assessEntry } from '../criteria/kinds.ts';
import { foreignLanguage } from '../criteria/language.ts';
import { judgeWhole } from './judging.ts';
import type { AssessedFinding, Assessment, AssessmentTask, Assessor } from './port.ts';

const LIMITATIONS: readonly string[] = [
  'Statements were compared with the evidence by rules and a small trained model, in English: words, figures, dates, names, tables and arithmetic. Nothing was reasoned out beyond that, and what could not be settled is said to be so.',
];
const FOREIGN =
  'The rules read English: of this work they compared figures, names and words that stand in the evidence alike. Have it read by somebody who knows the language.';
const RECHECK =
  'The re-check read the same material anew, by the same rules; the reason of the dispute and the wishes sent with it could not change how it was read.';

/**
 * Accuracy on sets that played no part in making it, measured by people who hold them back; in percent. The version that
 * was measured is the one before the engines and kinds of criteria of today.
 */
const UNSEEN: Measured = {
  configuration: 'rules and a small trained model',
  measured_at: '2026-11-22',
  measured_on: 'nine data sets that played no part in its making',
  version: '6fc18a0',
  this_version: false,
  figures: { 'balanced accuracy %': 64.3, 'share decided %': 45.1, 'unsupported passed %': 8.5 },
};

/** The assessor that calls no one: a learned support score for each statement, and rules and engines that compute. */
export const embeddedAssessor: Assessor = {
  method: 'embedded_assessment',
  measured: UNSEEN,
  assess: async (task) => assessEmbedded(task),
};

function assessEmbedded(task: AssessmentTask): Assessment {
  const findings: AssessedFinding[] = [];
  for (const [index, entry] of task.entries.entries()) {
    task.signal?.throwIfAborted();
    findings.push(assessEntry(entry, task));
    task.onProgress((index + 1) / task.entries.length);
  }
  const whole = judgeWhole(task);
  const language = foreignLanguage(task.work);
  return {
    statements: task.judged,
    findings,
    score: rounded(whole?.score ?? mean(task.judged.map(({ score }) => score))),
    limitations: [
      ...LIMITATIONS,
      ...(language === undefined ? [] : [`By its letters the work is ${language}. ${FOREIGN}`]),
      ...(task.correction === undefined ? [] : [RECHECK]),
    ],
  };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (share: number): number => Math.round(share * 1e6) / 1e6;
