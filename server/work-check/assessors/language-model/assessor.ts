import type { LanguageModel } from 'ai';
import type { AssessorModel } from '../../../configuration/assessor.ts';
import { CheckFailure } from '../../failure.ts';
import type { Assessment, AssessmentTask, Assessor } from '../port.ts';
import { openPurse, type Spent } from './budget.ts';
import { chanceFrom } from './chance.ts';
import { type Criteria, settleCriteria } from './criteria.ts';
import { gatherMaterial } from './material.ts';
import { measuredOf } from './measured.ts';
import { type Job, type Member, mayLower, mayRaise } from './panel.ts';
import { modelOf } from './providers.ts';
import { readAll } from './read.ts';
import { type Settled, settleStatements } from './statements.ts';
import { listed } from './wording.ts';

export type LanguageModelOptions = {
  /** Where figures of configurations stand; the folder that `check:measure` writes to unless told. */
  measuredFolder?: string | undefined;
  /** Stands around each model: records what it answers, say. */
  around?: (model: LanguageModel) => LanguageModel;
  /** Told what a check took, once it is done. */
  onSpent?: (spent: readonly Spent[]) => void;
};

/**
 * An assessor that has language models read what the rules and engines read first: the first model everything, a second
 * what it leaves open, a third to break a tie. Verdict and arithmetic stay ours, and what the rules call contradicted or
 * failed stays so.
 */
export function languageModelAssessor(panel: readonly AssessorModel[], options: LanguageModelOptions = {}): Assessor {
  if (panel.length === 0) throw new RangeError('A language-model assessor needs at least one model.');
  const measured = measuredOf(panel, options.measuredFolder);
  const around = options.around ?? ((model: LanguageModel) => model);
  const models = panel.map((settings) => ({ settings, model: around(modelOf(settings)) }));
  return {
    method: panel.length === 1 ? 'model_assessment' : 'model_panel_assessment',
    measured,
    assess: async (task) => {
      const job = openJob(task, models);
      try {
        return await assessWith(job, measured !== null);
      } finally {
        options.onSpent?.(job.purse.spent());
      }
    },
  };
}

function openJob(task: AssessmentTask, models: readonly Pick<Member, 'settings' | 'model'>[]): Job {
  const owed = task.judged.length + task.entries.length;
  let answered = 0;
  const chance = chanceFrom(task.seed);
  return {
    task,
    chance,
    material: gatherMaterial(task, chance),
    members: models.map(({ settings, model }) => ({
      settings,
      model,
      name: settings.model,
      failure: undefined,
      falseControls: { asked: 0, wrong: 0 },
      trueControls: { asked: 0, wrong: 0 },
    })),
    purse: openPurse(models.map(({ settings }) => settings)),
    invented: 0,
    onAnswered: (questions) => {
      answered += questions;
      task.onProgress(Math.min(1, answered / owed));
    },
  };
}

async function assessWith(job: Job, isMeasured: boolean): Promise<Assessment> {
  const readings = await readAll(job);
  const settled = settleStatements(job, readings.statements);
  const criteria = settleCriteria(job, settled.judged, readings);
  const calls = job.purse.spent().reduce((sum, spent) => sum + spent.calls, 0);
  const wasAsked = settled.unread > 0 || criteria.unread > 0;
  if (calls === 0 && wasAsked)
    throw new CheckFailure('assessor_failed', 'What a check may cost does not pay for one question to a model.');
  return {
    statements: settled.judged,
    findings: criteria.findings,
    escalate: settled.disputed + criteria.disputed > 0,
    score: scoreOf(settled),
    limitations: limitationsOf(job, settled, criteria, isMeasured),
  };
}

function scoreOf({ judged }: Settled): number {
  const sum = judged.reduce((total, { score }) => total + score, 0);
  return Math.round((sum / Math.max(1, judged.length)) * 1e6) / 1e6;
}

function limitationsOf(job: Job, settled: Settled, criteria: Criteria, isMeasured: boolean): string[] {
  const { members, invented, task } = job;
  const names = (test: (member: Member) => boolean): string => listed(members.filter(test).map(({ name }) => name));
  const [flattering, denying] = [names((member) => !mayRaise(member)), names((member) => !mayLower(member))];
  const failed = names(({ failure }) => failure !== undefined);
  const disputed = settled.disputed + criteria.disputed;
  const unread = settled.unread + criteria.unread;
  return [
    `Beside rules, language models read the work (${listed(members.map(({ name }) => name))}). Quotations were cut from the evidence by the service, and figures, dates and names of what they call supported were proven from them; how a model reads the rest was not.`,
    settled.settled > 0 ? `Models settled ${counted(settled.settled, 'statement')} that the rules had left open.` : '',
    disputed > 0 ? `The models disagreed on ${counted(disputed, 'point')}, and no third one decided.` : '',
    flattering === ''
      ? ''
      : `What ${flattering} called supported or met counted for nothing: statements made up to be false were called supported, too.`,
    denying === ''
      ? ''
      : `What ${denying} called contradicted, missing or not found counted for nothing: sentences of the evidence itself were not recognised.`,
    invented > 0
      ? `${counted(invented, 'quotation')} that a model gave stand nowhere in the evidence and were dropped.`
      : '',
    failed === '' ? '' : `${failed} failed to answer during this check.`,
    unread > 0
      ? `The budget of the check was spent before ${counted(unread, 'statement or criterion', 'statements and criteria')} could be put to a model.`
      : '',
    task.correction === undefined
      ? ''
      : 'The re-check read the same material anew; the reason of the dispute was shown to the models as a claim, not as evidence.',
    isMeasured ? '' : 'The accuracy of this configuration of models was never measured.',
  ].filter((line) => line !== '');
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
