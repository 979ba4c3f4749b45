import type { JsonValue } from '../../../kernel/json-value.ts';
import { bestPassages, type Passage as IndexedPassage, passageText } from '../../reading/evidence-index.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { Statement } from '../../statements.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import type { Chance } from './chance.ts';
import { OWN_SOURCE, type OwnControl, pickOwnControls } from './controls.ts';

/** What of the evidence and the work goes to a model, under names that its answer can use. */
export type Material = {
  /** Chosen anew for each check, so that nothing submitted can close it. */
  fence: string;
  /** The same for every question of a check: what a provider may keep. */
  fixed: string;
  /** The passages that go out, by the id that a model names them by. */
  passages: ReadonlyMap<string, Passage>;
  /** What may name a subject or a period and proves no figure: titles of sources (s1 …) and the request (r1). */
  titles: ReadonlyMap<string, string>;
  /** Parts of the work by the ids that a model names them by: statements w1 …, what stands between them t1 …. */
  parts: ReadonlyMap<string, string>;
  /** What the source of our own says and what the controls make of it. */
  own: readonly OwnControl[];
  /** Ids of the passages worth reading first for each statement; none where all of the evidence goes out. */
  ofStatement: readonly string[][];
};

export const REQUEST_ID = 'r1';
const PASSAGES_PER_STATEMENT = 4;
const PASSAGES_PER_ENTRY = 6;
const HINTS_MAX = 3;
/** Of the best passages the sentences beside them go along: a pronoun is read by what stands before it. */
const WITH_NEIGHBOURS = 3;
/** Evidence up to here goes out whole; of more, the passages that statements and criteria ask for. */
const EVIDENCE_CHARS_MAX = 60_000;

/**
 * Writes the part of the prompt that all questions of this check share: the whole evidence where it fits, else passages
 * for each statement and criterion. Passages that speak to the assessor stay out, and so do bare separators.
 */
export function gatherMaterial(task: AssessmentTask, chance: Chance): Material {
  const telling = (at: number): boolean => {
    const passage = task.evidence.passages[at];
    return passage?.instruction === false && passage.tokens.some(({ kind }) => kind !== 'mark');
  };
  const hints = task.judged.map((judged, index) => {
    const own = judged.passages.flatMap((passage) => indexOf(passage, task));
    const matches = task.readings[index]?.matches.map(({ passage }) => passage) ?? [];
    return [...new Set([...own, ...matches])].filter(telling).slice(0, PASSAGES_PER_STATEMENT);
  });
  const length = task.evidence.sources.reduce((sum, { text }) => sum + text.length, 0);
  const all = [...task.evidence.passages.keys()].filter(telling);
  const order = length <= EVIDENCE_CHARS_MAX ? all : pickPassages(task, hints).filter(telling);
  const names = new Map(order.map((at, place) => [at, `p${place + 1}`]));
  const passages = new Map(
    order.flatMap((at) => {
      const passage = task.evidence.passages[at];
      return passage === undefined ? [] : [[names.get(at) ?? '', placeOf(passage, task)] as const];
    }),
  );
  const own = pickOwnControls(chance);
  const fence = `=====${chance.hex(24)}=====`;
  const work = workOf(task);
  return {
    fence,
    fixed: fenced(fence, fixedPart(task, { order, names, own, work: work.shown })),
    passages,
    titles: new Map([
      ...task.evidence.sources.map(({ source }, at) => [`s${at + 1}`, source] as const),
      [REQUEST_ID, task.request] as const,
    ]),
    parts: work.parts,
    own,
    ofStatement:
      order === all ? [] : hints.map((chosen) => chosen.slice(0, HINTS_MAX).flatMap((at) => names.get(at) ?? [])),
  };
}

/** The passages that statements and criteria ask for, with their neighbours, as many as there is room for, in order. */
function pickPassages(task: AssessmentTask, hints: readonly (readonly number[])[]): number[] {
  const picked = new Set<number>();
  let room = EVIDENCE_CHARS_MAX;
  const pick = (wanted: readonly number[]): void => {
    const beside = wanted
      .slice(0, WITH_NEIGHBOURS)
      .flatMap((at) => [at - 1, at + 1].filter((next) => isBeside(task, at, next)));
    for (const at of [...wanted, ...beside]) {
      const passage = task.evidence.passages[at];
      const length = passage === undefined ? 0 : passage.end - passage.start;
      if (picked.has(at) || length === 0 || length > room) continue;
      room -= length;
      picked.add(at);
    }
  };
  for (const { label } of task.entries) pick(passagesAbout(label, task));
  for (const chosen of hints) pick(chosen);
  return [...picked].sort((a, b) => a - b);
}

/** A JSON value on a line of its own between two fence lines. */
export function fenced(fence: string, value: object): string {
  return `${fence}\n${JSON.stringify(value)}\n${fence}`;
}

function isBeside(task: AssessmentTask, at: number, next: number): boolean {
  const [one, other] = [task.evidence.passages[at], task.evidence.passages[next]];
  return other !== undefined && other.source === one?.source && !other.instruction;
}

function passagesAbout(label: string, task: AssessmentTask): number[] {
  const stems = new Set(tokenize(label).flatMap(({ content, stem }) => (content ? [stem] : [])));
  const words = [...stems].map((stem) => ({ stem, weight: 1 }));
  return bestPassages(task.evidence, words, PASSAGES_PER_ENTRY).map(({ passage }) => passage);
}

function indexOf({ ref, start, end }: Passage, { evidence }: AssessmentTask): number[] {
  return evidence.passages.flatMap((passage, at) =>
    evidence.sources[passage.source]?.ref === ref && passage.start < end && passage.end > start ? [at] : [],
  );
}

const placeOf = ({ source, start, end }: IndexedPassage, { evidence }: AssessmentTask): Passage => ({
  ref: evidence.sources[source]?.ref ?? '',
  start,
  end,
});

function fixedPart(
  task: AssessmentTask,
  {
    order,
    names,
    own,
    work,
  }: { order: readonly number[]; names: ReadonlyMap<number, string>; own: readonly OwnControl[]; work: object },
): object {
  const { evidence, request, work_kind, correction, now } = task;
  const sources = evidence.sources.map(({ source, origin, observed_at }, at) => ({
    id: `s${at + 1}`,
    source,
    origin,
    ...(observed_at === null ? {} : { observed_at }),
    passages: order.flatMap((index) => {
      const passage = evidence.passages[index];
      return passage?.source === at ? [{ id: names.get(index), text: passageText(evidence, passage) }] : [];
    }),
  }));
  const ours = own.map(([says], at) => ({ id: `p${order.length + at + 1}`, text: says }));
  const [first] = evidence.sources;
  const beside = {
    id: `s${sources.length + 1}`,
    source: OWN_SOURCE,
    origin: first?.origin ?? 'supplied',
    passages: ours,
  };
  return {
    checked_at: now.toISOString(),
    evidence: [...sources.filter(({ passages }) => passages.length > 0), beside],
    request: { id: REQUEST_ID, text: request },
    ...(work_kind === undefined ? {} : { work_kind }),
    ...(correction === undefined ? {} : { dispute: correction }),
    work,
  };
}

const LEFT_OUT = '[text that speaks to the assessor]';

/** Structured work as the JSON it is, with a name for each field; a text as its statements and what stands between. */
function workOf({ work }: AssessmentTask): { shown: object; parts: Map<string, string> } {
  const parts = new Map(work.statements.map(({ text }, index) => [workId(index), text]));
  if (typeof work.value !== 'string') {
    const fields = work.statements.map(({ place, at }, index) => ({
      id: workId(index),
      path: 'path' in place ? place.path : at,
    }));
    return { shown: { json: withoutInstructions(work.value, work.statements), fields }, parts };
  }
  const whole = work.value;
  const shown: object[] = [];
  const between = (text: string): void => {
    if (text.trim() === '') {
      if (/\n\s*\n/.test(text)) shown.push({ text: '\n\n' });
      return;
    }
    const id = `t${shown.length + 1}`;
    parts.set(id, text.trim());
    shown.push({ id, text });
  };
  let known = 0;
  for (const [index, { place, text, instruction }] of work.statements.entries()) {
    if (!('start' in place) || place.start < known) {
      shown.push({ id: workId(index), text: instruction ? LEFT_OUT : text });
      continue;
    }
    between(whole.slice(known, place.start));
    shown.push({ id: workId(index), text: instruction ? LEFT_OUT : whole.slice(place.start, place.end) });
    known = place.end;
  }
  between(whole.slice(known));
  return { shown: { words: whole.match(/\S+/g)?.length ?? 0, text: shown }, parts };
}

function withoutInstructions(value: JsonValue, statements: readonly Statement[]): JsonValue {
  const found = statements.filter(({ instruction }) => instruction).map(({ record }) => record?.value);
  if (found.length === 0) return value;
  return JSON.parse(
    JSON.stringify(value, (_, part) => (typeof part === 'string' && found.includes(part) ? LEFT_OUT : part)),
  );
}

/** How a model names a statement of the work. */
export const workId = (index: number): string => `w${index + 1}`;
