/**
 * Small words that turn what a clause says: who did it to whom, in which order, on what condition, how surely, of how
 * many. Two clauses say the same only where these stand in the same places.
 */
const CLASSES = {
  denial:
    'not no nay nope never none neither nor without cannot nothing nobody nowhere hardly barely fails failed unable',
  condition:
    'if unless except excluding until only provided whether once otherwise subject pending when whenever where conditional',
  hedge:
    'may might could can should must would will shall likely unlikely probably possibly perhaps expected expects estimated estimates planned plans proposed proposes intends intended scheduled aims seems appears suggests allegedly reportedly recommends recommended draft provisional considered considering hopes hoped about approximately roughly around nearly almost circa up',
  quantity:
    'all every each most many some few several both half any least majority minority more less fewer over under exceeds entire whole partly part also first last second third exactly',
  relation:
    'by from to than before after since against instead rather or respectively versus per between until below above under',
  speech:
    'said says say told tells tell according claims claimed claim reports reported believes believed thinks thought argues argued stated states asked asks wrote writes denied denies announced mentioned noted warned promised confirmed quoted',
  subordinate: 'who whom whose which that because although though while whereas despite',
} as const;

export type MarkerClass = keyof typeof CLASSES;

const MARKERS = new Map<string, MarkerClass>(
  Object.entries(CLASSES).flatMap(([name, words]) => words.split(' ').map((word) => [word, name as MarkerClass])),
);

/** The class of a marker; undefined for any other word. */
export const markerOf = (lower: string): MarkerClass | undefined =>
  lower.endsWith("n't") ? 'denial' : MARKERS.get(lower);

/** Markers that mean the same are one. */
const SAME = new Map([
  ['might', 'may'],
  ['could', 'may'],
  ['can', 'may'],
  ['each', 'every'],
  ['all', 'every'],
  ['approximately', 'about'],
  ['around', 'about'],
  ['roughly', 'about'],
  ['circa', 'about'],
  ['nearly', 'almost'],
  ['says', 'say'],
  ['said', 'say'],
  ['shall', 'must'],
]);

export const markerKey = (lower: string): string => (lower.endsWith("n't") ? 'not' : (SAME.get(lower) ?? lower));
