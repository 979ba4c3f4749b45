import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { everydayFor } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';

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

/** "Tomasz informs the pharmacies": who took the task on, by who was asked and said yes, or offered and was not refused. */
export function findWrongOwner(statement: Statement, turns: readonly Turn[]): WrongPerson | undefined {
  const opening = /^(\p{Lu}[\p{L}'’-]+)\s+\p{Ll}+s\b/u.exec(statement.text.trim());
  const claimed = opening?.[1];
  if (claimed === undefined || !turns.some(({ speaker }) => firstName(speaker) === claimed.toLowerCase()))
    return undefined;
  const topic = topicOf(statement, turns);
  if (topic.length === 0) return undefined;
  let owner: { name: string; turns: Turn[] } | undefined;
  for (const [at, turn] of turns.entries()) {
    const next = turns[at + 1];
    for (const sentence of turn.text.split(/(?<=[.?!])\s+/)) {
      if (!holds(sentence, topic)) continue;
      const asked = ASKED.exec(sentence)?.[1];
      if (
        asked !== undefined &&
        next !== undefined &&
        firstName(next.speaker) === asked.toLowerCase() &&
        ACCEPTS.test(next.text)
      )
        owner = { name: asked, turns: [turn, next] };
      else if (OFFERS.test(sentence))
        owner = next !== undefined && /^No\b/.test(next.text) ? owner : { name: turn.speaker, turns: [turn] };
    }
  }
  if (owner === undefined || firstName(owner.name) === claimed.toLowerCase()) return undefined;
  return { claimed, known: owner.name, turns: owner.turns };
}

const ASKED =
  /^(?:\p{L}+,\s+)?(\p{Lu}[\p{L}'’-]+),\s+(?:could|can|would|will|please|you|bring|take|send|write|tell|ask|make|do)\b/u;
const ACCEPTS = /^(?:Yes|Yep|Yeah|Sure|Fine|OK|Okay|Will do|Of course|Happy to|I'll|I will|Gladly|Done|Right)\b/i;
const OFFERS = /\bI(?:'ll| will| can| shall|'m going to)\s+(?!not\b|never\b)/i;

/** The two most telling words of what a statement says of its person, names and figures left out. */
function topicOf({ tokens }: Statement, turns: readonly Turn[]): string[][] {
  const names = new Set(turns.map(({ speaker }) => firstName(speaker)));
  return tokens
    .slice(1)
    .filter(
      (token) =>
        isContent(token) &&
        token.kind === 'word' &&
        !names.has(token.lower) &&
        !/^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/.test(token.lower),
    )
    .sort((a, b) => entryOf(b).rarity - entryOf(a).rarity)
    .slice(0, 2)
    .map(({ stem }) => [stem, ...everydayFor(stem)]);
}

function holds(sentence: string, topic: readonly string[][]): boolean {
  const stems = new Set(tokenize(sentence).map(({ stem }) => stem));
  return topic.some((group) => stems.has(group[0] ?? ''));
}

/** Verbs by which somebody tells, which is no act of theirs. */
const TELLS =
  /^(?:said|reported|noted|mentioned|asked|confirmed|suggested|proposed|added|replied|answered|agreed|explained|pointed|warned|wanted|needed|called|promised)$/;

/**
 * "Omar rolled back to v411" beside "Lena: rolling back to v411": who speaks of doing it, where nobody else does and no
 * turn gives it to the person named.
 */
export function findWrongActor(statement: Statement, turns: readonly Turn[]): WrongPerson | undefined {
  const [, claimed = '', verb = ''] = /^(\p{Lu}[\p{L}'’-]+)\s+(\p{Ll}+ed)\b/u.exec(statement.text.trim()) ?? [];
  const person = claimed.toLowerCase();
  if (verb === '' || TELLS.test(verb) || !turns.some(({ speaker }) => firstName(speaker) === person)) return undefined;
  const [act] = tokenize(verb);
  const end = statement.tokens.findIndex(({ kind, lower }) => kind === 'mark' && /^[,;.]$/.test(lower));
  const things = statement.tokens.slice(2, end === -1 ? undefined : end).filter((token) => isContent(token));
  const telling = turns.filter(({ text }) => {
    const tokens = tokenize(text);
    const at = tokens.findIndex(({ stem }) => stem === act?.stem);
    const isOwn = at === 0 || (at > 0 && at <= 3 && tokens.slice(0, at).some(({ lower }) => lower === 'i'));
    return isOwn && things.some((thing) => tokens.some(({ stem }) => stem === thing.stem));
  });
  const names = new Set(telling.map(({ speaker }) => firstName(speaker)));
  const [first] = telling;
  const isGiven = turns.some(
    ({ speaker, text }) =>
      (firstName(speaker) === person || text.toLowerCase().includes(person)) &&
      tokenize(text).some(({ stem }) => stem === act?.stem),
  );
  if (first === undefined || names.size !== 1 || names.has(person) || isGiven) return undefined;
  return { claimed, known: first.speaker, turns: [first] };
}

const QUOTED = /["“]([^"“”]{20,400})["”]/g;
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A quotation under the name of somebody who did not say it, while the transcript gives who did. */
export function findWrongSpeaker(statement: Statement, turns: readonly Turn[]): WrongPerson | undefined {
  for (const { 0: whole, 1: words = '', index } of statement.text.matchAll(QUOTED)) {
    const wrong = wrongSpeakerOf(
      words,
      statement.text.slice(0, index),
      statement.text.slice(index + whole.length),
      turns,
    );
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

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
