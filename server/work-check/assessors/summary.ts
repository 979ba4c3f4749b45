import type { Claim } from '../claims.ts';
import type { FindingStatus } from '../contract.ts';
import type { Fault } from '../contradictions.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Judged, Standing } from './judging.ts';
import type { AssessedFinding, Passage } from './port.ts';

/** How judged statements become one finding: its status, the words that say why, and the passages that decide it. */

const PASSAGES_PER_FINDING = 5;
const STATEMENTS_QUOTED = 3;
const QUOTE_CHARS = 160;

/** One finding over several statements: contradicted ones first, then what the evidence does not hold. */
export function summarize(looked: readonly Judged[], index: EvidenceIndex): AssessedFinding {
  const of = (standing: Standing): Judged[] => looked.filter((claim) => claim.standing === standing);
  const [contradicted, undecided, supported, unsupported] = [
    of('contradicted'),
    of('undecided'),
    of('supported'),
    of('unsupported'),
  ];
  const parts: string[] = [];
  const passages: Passage[] = [];
  for (const { reading } of contradicted.slice(0, STATEMENTS_QUOTED)) {
    const fault = reading.faults.find((candidate) => candidate.contradicts);
    if (fault === undefined) continue;
    parts.push(contradictionText(reading.claim, fault, index));
    passages.push(...place(index, fault.passage));
  }
  for (const claim of [...unsupported, ...undecided].slice(0, Math.max(0, STATEMENTS_QUOTED - contradicted.length)))
    parts.push(openText(claim));
  for (const claim of [...supported, ...undecided].slice(0, PASSAGES_PER_FINDING))
    passages.push(...bestPlaces(claim, index));
  const status = statusOf(contradicted.length, unsupported.length, undecided.length, supported.length);
  if (status === 'met' && supported[0] !== undefined)
    parts.push(`The evidence bears out “${clip(supported[0].reading.claim.text)}”.`);
  const shown = unique(passages).slice(0, PASSAGES_PER_FINDING);
  const reason = [...parts, tallyOf(looked)]
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll('.”.', '.”');
  return { status, reason, passages: shown };
}

function statusOf(contradicted: number, unsupported: number, undecided: number, supported: number): FindingStatus {
  if (contradicted > 0) return 'contradicted';
  if (unsupported > 0) return supported > 0 ? 'partly_met' : 'missing';
  if (undecided === 0) return 'met';
  return supported > 0 ? 'partly_met' : 'not_assessable';
}

function tallyOf(looked: readonly Judged[]): string {
  if (looked.length === 1) return '';
  const words: [Standing, string][] = [
    ['supported', 'borne out'],
    ['contradicted', 'contradicted'],
    ['unsupported', 'not borne out'],
    ['undecided', 'undecided'],
  ];
  const counts = words.map(
    ([standing, word]) => [looked.filter((claim) => claim.standing === standing).length, word] as const,
  );
  const parts = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${looked.length} statements were looked at: ${parts.join(', ')}.`;
}

/** The passage that shares most with the statement, within its best window. */
function bestPlaces({ reading, passages }: Judged, index: EvidenceIndex): Passage[] {
  if (reading.cell !== undefined) {
    const { source, start, end } = reading.cell.passage;
    const ref = index.sources[source]?.ref;
    return ref === undefined ? [] : [{ ref, start, end }];
  }
  const stems = new Set(reading.claim.tokens.map((token) => token.stem));
  let best = { passage: reading.matches[0]?.passage ?? -1, shared: -1 };
  for (const passage of passages) {
    let shared = 0;
    for (const stem of index.passages[passage]?.stems ?? []) if (stems.has(stem)) shared += 1;
    if (shared > best.shared) best = { passage, shared };
  }
  return place(index, best.passage);
}

function contradictionText(claim: Claim, fault: Fault, index: EvidenceIndex): string {
  const source = index.sources[index.passages[fault.passage]?.source ?? -1]?.source ?? 'the evidence';
  const where = `The work says “${clip(claim.text)}” (${claim.at})`;
  if (fault.kind === 'negation')
    return `${where}; ${source} says the opposite: “${clip(fault.known)}”.`.replace('.”.', '.”');
  return `${where}; it gives ${fault.claimed} where ${source} gives ${fault.known}.`;
}

function openText({ reading: { claim, faults }, standing }: Judged): string {
  const where = `“${clip(claim.text)}” (${claim.at})`;
  if (claim.instruction) return `${where} reads as an instruction and counts for nothing.`;
  const fault = faults[0];
  if (fault !== undefined) return `${where}: ${fault.claimed} does not stand in the evidence for this.`;
  return standing === 'unsupported'
    ? `The evidence does not bear out ${where}.`
    : `The evidence does not settle ${where}.`;
}

/** A passage as findings name it; nothing when there is none at this index. */
export function place(index: EvidenceIndex, at: number): Passage[] {
  const passage = index.passages[at];
  const ref = passage === undefined ? undefined : index.sources[passage.source]?.ref;
  return passage === undefined || ref === undefined ? [] : [{ ref, start: passage.start, end: passage.end }];
}

function unique(passages: readonly Passage[]): Passage[] {
  const seen = new Map(passages.map((passage) => [`${passage.ref}:${passage.start}`, passage]));
  return [...seen.values()];
}

/** Any space but a single one between words. */
const UNEVEN_SPACE = /[^\S ]| {2}|^ | $/;

/** Cuts a quotation to a readable length. */
export function clip(text: string): string {
  const flat = UNEVEN_SPACE.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text;
  return flat.length <= QUOTE_CHARS ? flat : `${flat.slice(0, QUOTE_CHARS - 1).trimEnd()}…`;
}
