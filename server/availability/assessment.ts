import type { z } from 'zod';
import type { AssessorModel } from '../configuration/assessor.ts';
import { embeddedAssessor } from '../work-check/assessors/embedded.ts';
import { measuredOf } from '../work-check/assessors/language-model/measured.ts';
import type { Measured } from '../work-check/contract.ts';
import { decidedKinds } from '../work-check/criteria/kinds.ts';
import type { Assessment } from './contract.ts';
import { confidenceMeaning, fieldMeanings, verdictMeanings } from './meanings.ts';

/** Who assesses here, what is decided, what a report's words mean, and the measured accuracy. */
export function assessment(models: readonly AssessorModel[]): z.input<typeof Assessment> {
  const measured = models.length === 0 ? (embeddedAssessor.measured ?? null) : measuredOf(models);
  return {
    assessor: assessorText(models),
    languages: ['en'],
    decides: decidedKinds.map(({ name, decides }) => ({ kind: name, decides })),
    verdicts: verdictMeanings,
    confidence: confidenceMeaning,
    fields: fieldMeanings,
    recheck: models.length === 0 ? recheckByRules : recheckByModels,
    accuracy: accuracyText(measured),
    measured,
  };
}

const recheckByRules =
  'The included re-check reads the same material anew, by the same rules. Reason, detail and correction_request are kept ' +
  'with it and change nothing about how it reads. Disputing its report waives the charge.';
const recheckByModels =
  'The included re-check reads the same material anew; the language model is given reason, detail and correction_request. ' +
  'Disputing its report waives the charge.';

function assessorText(models: readonly AssessorModel[]): string {
  if (models.length === 0) return 'rules, and no language model';
  const names = models.map(({ model }) => model).join(', ');
  return `rules, and beside them ${models.length === 1 ? 'a language model' : 'language models'} (${names})`;
}

/** Measured accuracy, on what and of which version, in sentences; names ending in % are percentages. */
export function accuracyText(measured: Measured | null): string {
  if (measured === null) return 'The accuracy of this configuration was never measured.';
  const figures = Object.entries(measured.figures).map(([name, value]) =>
    name.endsWith(' %') ? `${name.slice(0, -2)} ${value}%` : `${name.replaceAll('_', ' ')} ${value}`,
  );
  const which = measured.this_version
    ? 'the version that works here'
    : 'an earlier version than the one that works here';
  const lines = [
    `Measured on ${measured.measured_at.slice(0, 10)}, in version ${measured.version}, ${which}, on ${measured.measured_on}: ${figures.join(', ')}.`,
    measured.this_version ? '' : 'What has changed since has not been measured on them yet.',
  ];
  return lines.filter((line) => line !== '').join(' ');
}
