import type { Citation, Finding } from '@/server/work-check/contract.ts';

/** A passage that at least one finding cites, under the number the reader sees: `[3]`. */
export interface Passage extends Citation {
  number: number;
  /** The numbers of the findings that cite it, from 1. */
  citedBy: number[];
}

function placeOf(citation: Citation): string {
  return `${citation.ref} ${citation.start} ${citation.end} ${citation.digest}`;
}

/** Every cited passage once, numbered in the order in which the findings first cite it. */
export function citedPassages(findings: readonly Pick<Finding, 'citations'>[]): Passage[] {
  const passages = new Map<string, Passage>();
  findings.forEach((finding, index) => {
    for (const citation of finding.citations ?? []) {
      const place = placeOf(citation);
      const passage = passages.get(place) ?? { ...citation, number: passages.size + 1, citedBy: [] };
      if (!passage.citedBy.includes(index + 1)) passage.citedBy.push(index + 1);
      passages.set(place, passage);
    }
  });
  return [...passages.values()];
}

/** The numbers under which a finding's own citations appear, each once. */
export function passageNumbers(finding: Pick<Finding, 'citations'>, passages: readonly Passage[]): number[] {
  const places = new Set((finding.citations ?? []).map(placeOf));
  return passages.filter((passage) => places.has(placeOf(passage))).map((passage) => passage.number);
}

export interface PassageLine {
  /** Of the line in its text, from 1. */
  number: number;
  before: string;
  cited: string;
  after: string;
}

const CONTEXT_LINES = 2;
/** Evidence may be one line of 32,768 bytes; this much of it on either side is enough to see where a passage stands. */
const CONTEXT_CHARACTERS = 240;

function clipStart(text: string): string {
  return text.length > CONTEXT_CHARACTERS ? `…${text.slice(-CONTEXT_CHARACTERS)}` : text;
}

function clipEnd(text: string): string {
  return text.length > CONTEXT_CHARACTERS ? `${text.slice(0, CONTEXT_CHARACTERS)}…` : text;
}

/**
 * The lines of a text around a cited passage, two lines of context on either side.
 *
 * @param start first byte of the passage in the UTF-8 form of `text`
 * @param end the byte after its last
 * @returns null when the bytes do not fall on characters inside the text: then there is nothing to show
 */
export function linesAround(text: string, start: number, end: number): PassageLine[] | null {
  const bytes = new TextEncoder().encode(text);
  if (start < 0 || end > bytes.length || start >= end) return null;
  const read = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let parts: [string, string, string];
  try {
    parts = [
      read.decode(bytes.subarray(0, start)),
      read.decode(bytes.subarray(start, end)),
      read.decode(bytes.subarray(end)),
    ];
  } catch {
    // A boundary inside a character: the citation does not describe this text.
    return null;
  }
  const before = parts[0].split(/\r?\n/);
  const cited = parts[1].split(/\r?\n/);
  const after = parts[2].split(/\r?\n/);
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
