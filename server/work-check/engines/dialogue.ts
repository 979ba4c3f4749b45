import type { EvidenceIndex } from '../reading/evidence-index.ts';

/** Something said by somebody in a transcript or chat. */
export type Turn = { source: number; speaker: string; text: string; start: number; end: number };

/** A statement that gives a task or a quotation to another person than the transcript does. */
export type WrongPerson = { claimed: string; known: string; turns: Turn[] };

const TURN =
  /^[ \t]*(?:\[[^\]\n]{1,20}\][ \t]*|\d{1,2}:\d\d(?::\d\d)?[ \t]+)?(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}|[\p{L}]\.[\p{L}]{2,20}):[ \t]+(\S.*)$/gmu;
const TURNS_MIN = 4;

/** The turns of every source that is a conversation: four lines or more that open with two names or more. */
export function turnsOf({ sources }: EvidenceIndex): Turn[] {
  return sources.flatMap(({ text }, source) => {
    const turns = [...text.matchAll(TURN)].map(
      (match): Turn => ({
        source,
        speaker: match[1] ?? '',
        text: match[2] ?? '',
        start: match.index,
        end: match.index + match[0].length,
      }),
    );
    const speakers = new Set(turns.map(({ speaker }) => speaker));
    return turns.length >= TURNS_MIN && speakers.size >= 2 && speakers.size < turns.length ? turns : [];
  });
}

const firstName = (name: string): string => name.split(/[ .]/)[0]?.toLowerCase() ?? '';

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The same for words whose surroundings, before and behind, name a speaker. */
export function wrongSpeakerOf(
  words: string,
  before: string,
  behind: string,
  turns: readonly Turn[],
): WrongPerson | undefined {
  const wanted = plain(words);
  const turn = turns.find(({ text }) => plain(text).includes(wanted));
  if (turn === undefined) return undefined;
  const around = plain(`${before} ${behind}`).split(' ');
  const named = turns.find(({ speaker }) => around.includes(firstName(speaker)));
  if (named === undefined || around.includes(firstName(turn.speaker))) return undefined;
  return { claimed: named.speaker, known: turn.speaker, turns: [turn] };
}
