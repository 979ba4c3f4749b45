import type { Measured } from '../contract.ts';
import { assessEntry } from '../criteria/kinds.ts';
import { foreignLanguage } from '../criteria/language.ts';
import type { AssessedFinding, Assessment, AssessmentTask, Assessor } from './port.ts';

const LIMITATIONS: readonly string[] = [
  'No language model read this work. Rules, in English, prove what stands in the evidence in the same words, cells or figures; what is told in other words stays open.',
];
const FOREIGN =
  'The rules read English: of this work they compared figures, names and words that stand in the evidence alike. Have it read by somebody who knows the language.';
const RECHECK =
  'The re-check read the same material anew, by the same rules; the reason of the dispute and the wishes sent with it could not change how it was read.';

/** `unread-cases-20` before anybody read it: pairs by five authors who had seen no rule; see the model card. */
const UNREAD: Measured = {
  configuration: 'rules',
  measured_at: '2026-11-27',
  measured_on: '70 works, each correct and with one planted error, before anybody who wrote rules had read them',
  version: 'a8832c2b',
  this_version: false,
  figures: {
    'correct work told to revise %': 1.4,
    'criteria falsely accused %': 0,
    'met criteria found met %': 8.8,
    'planted errors named %': 80,
    'criteria hurt by them and still met %': 4.9,
  },
};

/** The assessor that calls no one: rules, and a kernel that proves. */
export const embeddedAssessor: Assessor = {
  method: 'embedded_assessment',
  measured: UNREAD,
  assess: async (task) => assessEmbedded(task),
};

function assessEmbedded(task: AssessmentTask): Assessment {
  const findings: AssessedFinding[] = [];
  for (const [index, entry] of task.entries.entries()) {
    task.signal?.throwIfAborted();
    findings.push(assessEntry(entry, task));
    task.onProgress((index + 1) / task.entries.length);
  }
  const language = foreignLanguage(task.work);
  return {
    statements: task.judged,
    findings,
    score: rounded(mean(task.judged.map(({ score }) => score))),
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
