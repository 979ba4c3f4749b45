import { deniedStems } from '../server/work-check/reading/negation.ts';
import { readQuantities } from '../server/work-check/reading/quantities.ts';
import type { Token } from '../server/work-check/reading/token.ts';
import { tokenize } from '../server/work-check/reading/tokens.ts';
import { areSiblings, entryOf, lookUp } from '../server/work-check/support/lexicon.ts';
import type { DataRow, DataSet } from './check-data.ts';
import { random } from './check-fit.ts';

const EDITS_PER_ROW = 2;
const ROWS_PER_SET = 500;
const SEED = 7;
const TRIES = 400;

type Kind = 'number' | 'denial' | 'opposite' | 'name' | 'sibling' | 'swap';
const KINDS: readonly Kind[] = ['number', 'denial', 'opposite', 'name', 'sibling', 'swap'];

/** Supported claims of a set with one fact changed, so that they are no longer supported. Deterministic. */
export function editedRows({ name, rows }: DataSet, surface: ReadonlyMap<string, string>): DataSet {
  const next = random(SEED);
  const edited: DataRow[] = [];
  const supported = rows.filter(({ label }) => label === 1);
  const step = Math.max(1, Math.floor(supported.length / ROWS_PER_SET));
  for (const row of supported.filter((_, at) => at % step === 0)) {
    const first = Math.floor(next() * KINDS.length);
    const kinds = [...KINDS.slice(first), ...KINDS.slice(0, first)];
    let made = 0;
    for (const kind of kinds) {
      if (made >= EDITS_PER_ROW) break;
      const claim = edit(kind, row, surface, next);
      if (claim === undefined || claim === row.claim) continue;
      made += 1;
      edited.push({ ...row, id: `${row.id}:${kind}`, claim, label: 0, kind });
    }
  }
  return { name: `edited_${name}`, rows: edited };
}

function edit(kind: Kind, row: DataRow, surface: ReadonlyMap<string, string>, next: () => number): string | undefined {
  const tokens = tokenize(row.claim);
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(next() * items.length)];
  const put = (token: Token, text: string): string =>
    row.claim.slice(0, token.start) + text + row.claim.slice(token.end);
  const words = tokens.filter((token) => token.content && token.kind === 'word');
  switch (kind) {
    case 'number': {
      const figures = readQuantities(tokens).flatMap((figure) => tokens.slice(figure.first, figure.last + 1));
      const token = pick(figures.filter((candidate) => /^\d+$/.test(candidate.lower)));
      if (token === undefined) return undefined;
      const value = Number(token.lower);
      const changed =
        value >= 1000 && value <= 2100
          ? value - 1 - Math.floor(next() * 9)
          : pick([value + 1, value + 2, value * 2, value * 10]);
      return put(token, String(changed));
    }
    case 'denial': {
      const no = tokens.find((token) => token.lower === 'not');
      if (no !== undefined && deniedStems(tokens).length > 0)
        return `${row.claim.slice(0, no.start)}${row.claim.slice(no.end + 1)}`;
      const verb = pick(
        tokens.filter(({ lower }) => /^(?:is|was|are|were|has|have|will|can|would|could|should|may)$/.test(lower)),
      );
      return verb === undefined ? undefined : put(verb, `${verb.lower} not`);
    }
    case 'opposite': {
      const token = pick(words.filter((word) => entryOf(word).opposites.some((other) => surface.has(other))));
      const other = pick(lookUp(token?.stem ?? '').opposites.filter((stem) => surface.has(stem)));
      return token === undefined || other === undefined ? undefined : put(token, surface.get(other) ?? other);
    }
    case 'sibling': {
      const token = pick(words.filter((word) => !word.capital && entryOf(word).broader.length > 0));
      if (token === undefined) return undefined;
      const pool = [...surface.keys()];
      for (let tries = 0; tries < TRIES; tries += 1) {
        const other = pick(pool) ?? '';
        if (areSiblings(entryOf(token), lookUp(other))) return put(token, surface.get(other) ?? other);
      }
      return undefined;
    }
    case 'name': {
      const named = words.filter(({ capital, start }) => capital && start > 0);
      const token = pick(named);
      const own = new Set(words.map(({ stem }) => stem));
      const others = row.evidence.flatMap(({ text }) =>
        tokenize(text)
          .filter(({ capital, content, stem, start }) => capital && content && start > 0 && !own.has(stem))
          .map(({ start, end }) => text.slice(start, end)),
      );
      const other = pick(others);
      return token === undefined || other === undefined ? undefined : put(token, other);
    }
    case 'swap': {
      const named = words.filter(({ capital, start }) => capital && start > 0);
      const [a, b] = [named[0], named.at(-1)];
      if (a === undefined || b === undefined || a.stem === b.stem) return undefined;
      return swapped(row.claim, a, b);
    }
    default:
      return kind satisfies never;
  }
}

/** A text with two of its tokens swapped. */
function swapped(text: string, a: Token, b: Token): string {
  return (
    text.slice(0, a.start) +
    text.slice(b.start, b.end) +
    text.slice(a.end, b.start) +
    text.slice(a.start, a.end) +
    text.slice(b.end)
  );
}

/** For each stem, its most frequent form in the training evidence. */
export function surfaceForms(sets: readonly DataSet[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { rows } of sets)
    for (const { claim } of rows)
      for (const { stem, lower, kind, content } of tokenize(claim)) {
        if (kind !== 'word' || !content) continue;
        const forms = counts.get(stem) ?? new Map<string, number>();
        counts.set(stem, forms.set(lower, (forms.get(lower) ?? 0) + 1));
      }
  return new Map([...counts].map(([stem, forms]) => [stem, [...forms].sort((a, b) => b[1] - a[1])[0]?.[0] ?? stem]));
}
