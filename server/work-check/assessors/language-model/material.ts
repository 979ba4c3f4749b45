import { randomBytes } from 'node:crypto';
import type { JsonValue } from '../../../kernel/json-value.ts';
import { bestPassages, type Passage as IndexedPassage, passageText } from '../../reading/evidence-index.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import { OWN_SOURCE, type OwnControl, pickOwnControls } from './controls.ts';

/** What of the evidence and the work goes to a model, under names that its answer can use. */
export type Material = {
  /** Chosen anew for each check, so that nothing submitted can close it. */
  fence: string;
  /** The same for every question of a check: what a provider may keep. */
  fixed: string;
  /** The passages that go out, by the id that a model names them by. */
  passages: ReadonlyMap<string, Passage>;
  /** What the source of our own says and what the controls make of it. */
  own: readonly OwnControl[];
  /** Ids of the passages picked for each statement, and for each criterion. */
  ofStatement: readonly string[][];
  ofEntry: readonly string[][];
};

const PASSAGES_PER_STATEMENT = 4;
const PASSAGES_PER_ENTRY = 6;
/** Of the best passages the sentences beside them go along: a pronoun is read by what stands before it. */
const WITH_NEIGHBOURS = 2;
/** A quarter of what the largest request may hold; what is left out is not quoted by a model. */
const EVIDENCE_CHARS_MAX = 65_536;

/**
 * Picks passages for each statement and criterion and writes the part of the prompt that all questions of this check
 * share. Passages that speak to the assessor stay out.
 */
export function gatherMaterial(task: AssessmentTask): Material {
  const picked = new Set<number>();
  let room = EVIDENCE_CHARS_MAX;
  const pick = (wanted: readonly number[], perQuestion: number): number[] => {
    const own = [...new Set(wanted)]
      .filter((at) => task.evidence.passages[at]?.instruction === false)
      .slice(0, perQuestion);
    const beside = own
      .slice(0, WITH_NEIGHBOURS)
      .flatMap((at) => [at - 1, at + 1].filter((next) => isBeside(task, at, next)));
    return [...own, ...beside].filter((at) => {
      if (picked.has(at)) return true;
      const passage = task.evidence.passages[at];
      const length = passage === undefined ? 0 : passage.end - passage.start;
      if (length === 0 || length > room) return false;
      room -= length;
      picked.add(at);
      return true;
    });
  };
  const entries = task.entries.map(({ label }) => pick(passagesAbout(label, task), PASSAGES_PER_ENTRY));
  const statements = task.judged.map((judged, index) => {
    const own = judged.passages.flatMap((passage) => indexOf(passage, task));
    const matches = task.readings[index]?.matches.map(({ passage }) => passage) ?? [];
    return pick([...own, ...matches], PASSAGES_PER_STATEMENT);
  });
  const order = [...picked].sort((a, b) => a - b);
  const names = new Map(order.map((at, place) => [at, `p${place + 1}`]));
  const named = (chosen: readonly number[]): string[] => chosen.flatMap((at) => names.get(at) ?? []);
  const passages = new Map(
    order.flatMap((at) => {
      const passage = task.evidence.passages[at];
      return passage === undefined ? [] : [[names.get(at) ?? '', placeOf(passage, task)] as const];
    }),
  );
  const own = pickOwnControls();
  const fence = `=====${randomBytes(12).toString('hex')}=====`;
  return {
    fence,
    fixed: fenced(fence, fixedPart(task, order, names, own)),
    passages,
    own,
    ofStatement: statements.map(named),
    ofEntry: entries.map(named),
  };
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
  order: readonly number[],
  names: ReadonlyMap<number, string>,
  own: readonly OwnControl[],
): object {
  const { evidence, request, work_kind, correction, now } = task;
  const sources = evidence.sources.map(({ source, origin, observed_at }, at) => ({
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
  const beside = { source: OWN_SOURCE, origin: first?.origin ?? 'supplied', passages: ours };
  return {
    checked_at: now.toISOString(),
    evidence: [...sources.filter(({ passages }) => passages.length > 0), beside],
    request,
    ...(work_kind === undefined ? {} : { work_kind }),
    ...(correction === undefined ? {} : { dispute: correction }),
    work: workOf(task),
  };
}

const LEFT_OUT = '[text that speaks to the assessor]';

/** Structured work as the JSON it is, with a name for each field; a text as its statements and what stands between. */
function workOf({ work }: AssessmentTask): { json: JsonValue; fields: object[] } | { text: object[] } {
  if (typeof work.value !== 'string') {
    const fields = work.statements.map(({ place, at }, index) => ({
      id: workId(index),
      path: 'path' in place ? place.path : at,
    }));
    return { json: withoutInstructions(work.value), fields };
  }
  const parts: object[] = [];
  let known = 0;
  for (const [index, { place, text, instruction }] of work.statements.entries()) {
    if (!('start' in place) || place.start < known) {
      parts.push({ id: workId(index), text: instruction ? LEFT_OUT : text });
      continue;
    }
    const between = work.value.slice(known, place.start);
    if (between.trim() !== '') parts.push({ text: between });
    parts.push({ id: workId(index), text: instruction ? LEFT_OUT : work.value.slice(place.start, place.end) });
    known = place.end;
  }
  const rest = work.value.slice(known);
  if (rest.trim() !== '') parts.push({ text: rest });
  return { text: parts };

  function withoutInstructions(value: JsonValue): JsonValue {
    const found = work.statements.filter(({ instruction }) => instruction).map(({ record }) => record?.value);
    if (found.length === 0) return value;
    return JSON.parse(
      JSON.stringify(value, (_, part) => (typeof part === 'string' && found.includes(part) ? LEFT_OUT : part)),
    );
  }
}

/** How a model names a statement of the work. */
export const workId = (index: number): string => `w${index + 1}`;
