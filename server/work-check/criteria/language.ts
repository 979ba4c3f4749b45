import { francAll } from 'franc';
import type { Work } from '../statements.ts';
import { textOf } from './form-answers.ts';
import { isProse, leavesOf } from './form-measures.ts';
import { LANGUAGE_CODES, languageName } from './form-shape-reader.ts';

const LETTERS_MIN = 100;
/**
 * The second best language may fit this well beside the best one's 1. Ninety texts of 60 to 500 words: the runner-up of
 * prose fits 0.915 to 0.986 and only beside lists of figures and names better than this.
 */
const RUNNER_UP_MAX = 0.975;
const READ_MAX = 20_000;

/** How well languages fit the letters of a work, best first; none where it is too short. */
function fitting(work: Work): [code: string, fit: number][] {
  const text =
    textOf(work) ??
    leavesOf(work.value)
      .filter(isProse)
      .map(({ value }) => String(value))
      .join('\n');
  if ((text.match(/\p{L}/gu) ?? []).length < LETTERS_MIN) return [];
  return francAll(text.slice(0, READ_MAX), { only: [...LANGUAGE_CODES] });
}

/** The language of a work by its letters, as a code of three letters; why not, where it cannot be told. */
export function languageOf(work: Work): { code: string } | { unknown: 'too short' | 'uncertain' } {
  const [best, second] = fitting(work);
  if (best === undefined) return { unknown: 'too short' };
  if (best[0] === 'und' || (second !== undefined && second[1] > RUNNER_UP_MAX)) return { unknown: 'uncertain' };
  return { code: best[0] };
}

/** English text has at least this share of words such as "the" and "of"; other languages share few of them. */
const GRAMMAR_MIN = 0.1;
/** "in German", or "not in English", where a work is not written in the language that the rules read. */
export function foreignLanguage(work: Work): string | undefined {
  const words = work.statements.flatMap(({ tokens }) => tokens.filter(({ kind }) => kind === 'word'));
  if (words.filter(({ content }) => !content).length >= words.length * GRAMMAR_MIN) return undefined;
  const fits = fitting(work);
  const english = fits.find(([code]) => code === 'eng')?.[1] ?? 0;
  const [best, second] = fits;
  if (best === undefined || best[0] === 'und' || english > RUNNER_UP_MAX) return undefined;
  return second !== undefined && second[1] > RUNNER_UP_MAX ? 'not in English' : `in ${languageName(best[0])}`;
}
