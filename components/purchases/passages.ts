import type { EvidencePlace } from '@/server/work-check/contract.ts';
import { type ByteText, byteText } from './byte-text.ts';

/** A cited passage, with the number that readers see: `[3]`. */
export interface Passage extends EvidencePlace {
  number: number;
  /** The citation as a string: equal for equal places. */
  place: string;
  /** The numbers of the findings that cite it, from 1. */
  findings: number[];
  /** The numbers of the statements that it decides, from 1. */
  statements: number[];
}

/** A finding or a statement: both cite in one form. */
interface Citing {
  citations?: EvidencePlace[] | undefined;
}

function placeOf({ ref, start, end }: EvidencePlace): string {
  return `${ref} ${start} ${end}`;
}

/** Every cited passage once, numbered by its first citation: findings first, then statements. */
export function citedPassages(findings: readonly Citing[], statements: readonly Citing[] = []): Passage[] {
  const passages = new Map<string, Passage>();
  const number = (citing: readonly Citing[], by: 'findings' | 'statements') => {
    citing.forEach(({ citations = [] }, index) => {
      for (const citation of citations) {
        const place = placeOf(citation);
        const { ref, start, end } = citation;
        const passage = passages.get(place) ?? {
          ref,
          start,
          end,
          place,
          number: passages.size + 1,
          findings: [],
          statements: [],
        };
        if (passage[by].at(-1) !== index + 1) passage[by].push(index + 1);
        passages.set(place, passage);
      }
    });
  };
  number(findings, 'findings');
  number(statements, 'statements');
  return [...passages.values()];
}

/** For each statement the first passage that it cites, or null. */
export function firstPassagesOf(statements: readonly Citing[], passages: readonly Passage[]): (number | null)[] {
  const first: (number | null)[] = statements.map(() => null);
  for (const passage of passages) for (const number of passage.statements) first[number - 1] ??= passage.number;
  return first;
}

/** The distinct passage numbers of a finding's or statement's citations. */
export function passageNumbers({ citations = [] }: Citing, passages: readonly Passage[]): number[] {
  const places = new Set(citations.map(placeOf));
  return passages.filter(({ place }) => places.has(place)).map(({ number }) => number);
}

export interface PassageLine {
  /** The line's number in its text, from 1. */
  number: number;
  before: string;
  cited: string;
  after: string;
}

const CONTEXT_LINES = 2;
/** Evidence may be one line of 32,768 bytes: show this much of it on either side. */
const CONTEXT_CHARACTERS = 240;

function clipStart(text: string): string {
  return text.length > CONTEXT_CHARACTERS ? `…${text.slice(-CONTEXT_CHARACTERS)}` : text;
}

function clipEnd(text: string): string {
  return text.length > CONTEXT_CHARACTERS ? `${text.slice(0, CONTEXT_CHARACTERS)}…` : text;
}

/**
 * The lines of a text around a cited passage, with two lines of context on either side.
 *
 * @param start first byte of the passage in the UTF-8 form of `text`
 * @param end the byte after its last
 * @returns null when the bytes are not on character boundaries of the text
 */
export function linesAround(text: string | ByteText, start: number, end: number): PassageLine[] | null {
  const read = typeof text === 'string' ? byteText(text) : text;
  if (start >= end) return null;
  const parts = [read.slice(0, start), read.slice(start, end), read.slice(end, read.bytes)];
  // The citation is not about this text.
  if (parts.includes(null)) return null;
  const [before = [], cited = [], after = []] = parts.map((part) => (part ?? '').split(/\r?\n/));
  const firstNumber = before.length;
  const lead = before.pop() ?? '';
  const tail = after.shift() ?? '';

  const lines: PassageLine[] = before.slice(-CONTEXT_LINES).map((line, index, kept) => ({
    number: firstNumber - kept.length + index,
    before: clipStart(line),
    cited: '',
    after: '',
  }));
  cited.forEach((line, index) => {
    lines.push({
      number: firstNumber + index,
      before: index === 0 ? clipStart(lead) : '',
      cited: line,
      after: index === cited.length - 1 ? clipEnd(tail) : '',
    });
  });
  const nextNumber = firstNumber + cited.length;
  after.slice(0, CONTEXT_LINES).forEach((line, index) => {
    lines.push({ number: nextNumber + index, before: clipEnd(line), cited: '', after: '' });
  });
  return lines;
}
