import type { Result } from '../../kernel/amounts.ts';
import { evaluate, type Operand } from '../../kernel/compute.ts';
import { operandName } from '../../kernel/expression.ts';
import { type Closeness, closenessBefore, spokenIn } from '../../kernel/spoken.ts';
import { isResult, isSpokenResult, printed } from '../../kernel/told.ts';
import { clip } from '../../quoting.ts';
import { dayOrderOf } from '../../reading/dates.ts';
import { readQuantities } from '../../reading/quantities.ts';
import type { Quantity } from '../../reading/quantity.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import type { Material } from './material.ts';
import { asClock, BARE, clockOf, figureIn } from './operand-figure.ts';
import type { StatementAnswer } from './prompt.ts';
import { cellsOf, findFigure, findQuote, textOf } from './quotes.ts';
import { asDigits, isForeign, otherwiseIn, spanIn } from './written.ts';

/** A derivation that the kernel worked out. */
export type Derived = {
  /** The figure of the statement that it is for; empty for a step on the way. */
  claimed: string;
  /** As a report prints it: "10:35 − 10:26 = 9 minutes". */
  says: string;
  /** Whether it comes to what is claimed. */
  holds: boolean;
  result: Result;
  /** The passages that its operands were cut from, those of earlier steps included. */
  operands: Passage[];
  steps: number;
};

/** What derivations came to, or why one came to nothing, by their names: `q4.d1` is the first of statement q4. */
export type Results = ReadonlyMap<string, Derived | Fault>;
/** Told to who derived it. */
export type Fault = { fault: string };

const DERIVATIONS_MAX = 12;
const OPERANDS_MAX = 60;
/** How many derivations may build on each other: any number can be had of enough figures. */
const STEPS_MAX = 6;

const SHOWN_OF_RANGE = 2;

type Place = Operand & { passages: Passage[]; steps: number };

/** An answer, and the statement that it is about. */
type Answered = { given: Pick<StatementAnswer, 'id' | 'derivations'>; text: string };

/** Works derivations out, each once those are known that it builds on. */
export function derive(answers: readonly Answered[], about: { task: AssessmentTask; material: Material }): Results {
  const [results, faults] = [new Map<string, Derived>(), new Map<string, Fault>()];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const known = results.size;
    for (const { given, text } of answers)
      for (const [at, one] of given.derivations.slice(0, DERIVATIONS_MAX).entries()) {
        const name = nameOf(given.id, at);
        if (results.has(name)) continue;
        const earlier = (operand: string) => results.get(`${given.id}.${operand}`) ?? results.get(operand);
        const derived = deriveOne(one, text, about, earlier);
        if ('fault' in derived) faults.set(name, derived);
        else results.set(name, derived);
      }
    if (results.size === known) break;
  }
  return new Map<string, Derived | Fault>([...faults, ...results]);
}

const nameOf = (id: string, at: number): string => `${id}.d${at + 1}`;

const ownOf = ({ id, derivations }: Answered['given'], results: Results): (Derived | Fault)[] =>
  derivations.flatMap((_, at) => results.get(nameOf(id, at)) ?? []);

/** What one answer's own derivations came to, in their order. */
export const derivedOf = (given: Answered['given'], results: Results): Derived[] =>
  ownOf(given, results).flatMap((one) => ('fault' in one ? [] : [one]));

/** Why one answer's own derivations do not show what they are for. */
export const faultsOf = (given: Answered['given'], results: Results): string[] =>
  ownOf(given, results).flatMap((one) => {
    if ('fault' in one) return [one.fault];
    return one.holds || one.claimed.trim() === '' ? [] : [`“${clip(one.claimed)}” is not ${one.says}`];
  });

function deriveOne(
  { claimed, operands, expression }: StatementAnswer['derivations'][number],
  statement: string,
  about: { task: AssessmentTask; material: Material },
  earlier: (name: string) => Derived | undefined,
): Derived | Fault {
  const isStep = claimed.trim() === '';
  const own = isStep ? undefined : findQuote(claimed, statement);
  if (!isStep && own === undefined) return { fault: `“${clip(claimed)}” is not copied from the statement` };
  const found = operands.slice(0, OPERANDS_MAX).map((one) => placeOf(one, about, earlier));
  const places = found.flatMap((one) => one ?? []);
  const steps = 1 + Math.max(0, ...places.map((place) => place.steps));
  const missing = found.indexOf(undefined);
  if (missing !== -1) return { fault: `operand ${operandName(missing)} of “${clip(expression)}” stands nowhere` };
  if (operands.length > OPERANDS_MAX || steps > STEPS_MAX) return { fault: `“${clip(expression)}” is too long` };
  const isClaim = (result: Result): boolean => !isStep && isClaimed(result, claimed, statement.slice(0, own?.start));
  const readings = readingsOf(expression, places).flatMap(
    (one) => evaluate(expression, one, onlyYearOf(places, about.task)) ?? [],
  );
  const result = readings.find(isClaim) ?? readings[0];
  if (result === undefined) return { fault: `“${clip(withOperands(expression, places))}” could not be worked out` };
  const holds = isClaim(result);
  return {
    claimed,
    // In the words of the work where it holds: "… / 7 = six weeks".
    says: `${clip(withOperands(expression, places))} = ${holds ? clip(claimed.trim()) : printed(result)}`,
    holds,
    result,
    operands: places.flatMap(({ passages }) => passages),
    steps,
  };
}

/** Operands as they may be read: "09.40" as a clock where minutes are asked for, "19h00" as a span and as a clock. */
function readingsOf(expression: string, places: readonly Place[]): (readonly Place[])[] {
  if (/\bminutes\b/.test(expression))
    return [false, true].map((isBare) => places.map((place) => asClock(place, { isBare })));
  const [first, ...rest] = places;
  return first === undefined ? [] : [places, [asClock(first, { isBare: true }), ...rest]];
}

function placeOf(
  { passage, words }: StatementAnswer['derivations'][number]['operands'][number],
  { task, material }: { task: AssessmentTask; material: Material },
  earlier: (name: string) => Derived | undefined,
): Place | undefined {
  const name = passage.trim();
  const step = earlier(name);
  if (step !== undefined)
    return {
      figure: undefined,
      text: printed(step.result),
      result: step.result,
      passages: step.operands,
      steps: step.steps,
    };
  const range = rangeOf(name, words, { task, material });
  if (range !== undefined) return range;
  const title = material.titles.get(name);
  if (title !== undefined) {
    const span = findFigure(words, title);
    const text = span && asDigits(title.slice(span.start, span.end));
    return text === undefined ? undefined : { figure: figureIn(text, false), text, passages: [], steps: 0 };
  }
  const whole = material.passages.get(name);
  // "dose,14" spans two cells of a row.
  const span = whole && (findFigure(words, cellsOf(whole, task)) ?? findFigure(words, textOf(whole, task)));
  if (whole === undefined || span === undefined) return undefined;
  const text = asDigits(cellsOf(whole, task).slice(span.start, span.end));
  const source = task.evidence.sources.find(({ ref }) => ref === whole.ref);
  const figure = figureIn(text, source !== undefined && isForeign(source));
  const day = figure?.kind === 'date' && figure.month === undefined ? dayOf(text, task) : undefined;
  return { figure: day ?? figure, text, passages: [whole], steps: 0 };
}

type Source = AssessmentTask['evidence']['sources'][number];
const years = new WeakMap<Source, ReadonlySet<number>>();

/** The years that the dates of a source tell; found once for each. */
function yearsOf(source: Source): ReadonlySet<number> {
  const told = years.get(source) ?? new Set(readQuantities(tokenize(source.text)).flatMap(yearOfDate));
  years.set(source, told);
  return told;
}

const yearOfDate = ({ kind, month, year }: Quantity): number[] =>
  kind === 'date' && month !== undefined && year !== undefined ? [year] : [];

/** The only year that the dates of the sources tell from which operands come, or of all sources; undefined where they tell several. */
function onlyYearOf(places: readonly Place[], { evidence: { sources } }: AssessmentTask): number | undefined {
  const refs = new Set(places.flatMap(({ passages }) => passages.map(({ ref }) => ref)));
  const own = sources.filter(({ ref }) => refs.has(ref));
  return [own, sources]
    .map((some) => [...new Set(some.flatMap((source) => [...yearsOf(source)]))])
    .find((told) => told.length === 1)?.[0];
}

/** "04/03/2025" in the order that dates show somewhere in the evidence; the day first where none does. */
function dayOf(text: string, { evidence }: AssessmentTask): Quantity | undefined {
  const order = evidence.sources.flatMap((source) => dayOrderOf(source.text) ?? [])[0] ?? 'day first';
  const [date] = readQuantities(tokenize(text), order);
  return date?.kind === 'date' && date.month !== undefined ? date : undefined;
}

/** "p3-p26": the passages from one to another that hold certain words, to be counted. */
function rangeOf(
  name: string,
  words: string,
  { task, material }: { task: AssessmentTask; material: Material },
): Place | undefined {
  const [, from = '', to = ''] = /^(p\d+)\s*[-–]\s*(p\d+)$/.exec(name) ?? [];
  const ids = [...material.passages.keys()];
  const [first, last] = [ids.indexOf(from), ids.indexOf(to)];
  if (first === -1 || last < first) return undefined;
  const passages = ids
    .slice(first, last + 1)
    .flatMap((id) => material.passages.get(id) ?? [])
    .filter((one) => words.trim() === '' || findQuote(words, textOf(one, task)) !== undefined);
  // What is counted proves no other figure: two of them are shown.
  const shown = passages.slice(0, SHOWN_OF_RANGE);
  return { figure: undefined, text: words.trim(), instances: passages.length, passages: shown, steps: 0 };
}

/** Whether a result is what is claimed, as closely as the words before it tell: "more than 300", "nearly two hours". */
function isClaimed(result: Result, claimed: string, before: string): boolean {
  const howBefore = (start: number): Closeness | undefined => closenessBefore(before + claimed.slice(0, start));
  const spoken = spokenIn(claimed);
  if (spoken !== undefined && isSpokenResult(result, spoken, howBefore(spoken.start))) return true;
  const clock = result.unit === 'time' ? clockOf(claimed) : undefined;
  if (clock !== undefined && isResult(result, clock, claimed)) return true;
  const figures = readQuantities(tokenize(claimed));
  if (figures.length === 0) return isResult(result, undefined, claimed);
  // It vouches for all that it is said to be for.
  if (figures.every((figure) => isResult(result, figure, claimed, howBefore(figure.start)))) return true;
  // "12.000", "2 Wochen": as another language writes it.
  const [{ start, kind, unit } = BARE] = figures;
  const value = otherwiseIn(claimed, true);
  const number = value === undefined ? [] : [{ ...BARE, kind, unit, value }];
  const span = spanIn(claimed);
  const others = span === undefined ? number : [{ ...BARE, ...span }];
  return others.some((figure) => isResult(result, figure, claimed, howBefore(start)));
}

/** What parts the cells of a line is no part of an operand. */
const SEPARATORS = /^[\s;,|:]+|[\s;,|:]+$/g;

function withOperands(expression: string, places: readonly Place[]): string {
  return expression.replaceAll(/[a-z]\d{0,2}(?![a-z(])/g, (name) => {
    const at = places.findIndex((_, place) => operandName(place) === name);
    return at === -1 ? name : (places[at]?.text.replaceAll(SEPARATORS, '') ?? name);
  });
}
