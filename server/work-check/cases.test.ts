import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CaseResult,
  freshCases,
  laterCases,
  measureCase,
  ownCases,
  plantedWork,
  readCases,
  requestOf,
} from '../../commands/check-cases.ts';
import { rereadReport } from '../../commands/check-sentences.ts';
import { type JsonValue, parsedIfJson } from '../kernel/json-value.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import type { Report } from './contract.ts';
import { validateReport } from './validate-report.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const cases = readCases(ownCases);

/** Statements of a report whose place is none in the work. */
function misplaced(work: JsonValue, { statements }: Report): Report['statements'] {
  const value = parsedIfJson(work);
  const bytes = Buffer.from(typeof value === 'string' ? value : '');
  const isCut = (at: number): boolean => at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80;
  return statements.filter(({ path, start = 0, end = 0 }) =>
    path === undefined
      ? start >= end || end > bytes.length || isCut(start) || isCut(end)
      : resolve(value, path) === undefined,
  );
}

function resolve(value: JsonValue, path: string): JsonValue | undefined {
  const parts = path.split('/').slice(1);
  return parts.reduce<JsonValue | undefined>((at, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as { [key: string]: JsonValue })[key]
      : undefined;
  }, value);
}

describe('the cases of the repository', () => {
  const results: CaseResult[] = [];
  beforeAll(async () => {
    for (const given of cases) results.push(await measureCase(given));
  }, 120_000);

  it('are twenty, each with an error that changes the work', () => {
    expect(cases).toHaveLength(20);
    for (const given of cases) expect(plantedWork(given), given.id).not.toEqual(given.work_product);
  });

  it('call no correct work revise', () => {
    expect(results.filter(({ clean }) => clean.verdict === 'revise').map(({ given }) => given.id)).toEqual([]);
  });

  it('find no criterion of correct work missing or contradicted', () => {
    expect(results.flatMap(({ given, accused }) => accused.map((at) => `${given.id}: ${given.criteria[at]}`))).toEqual(
      [],
    );
  });

  it('find no criterion met that a reviewer leaves to a person', () => {
    const overclaimed = results.flatMap(({ given, clean }) =>
      given.criteria.filter(
        (_, at) => given.clean.criteria[at] === 'not_assessable' && clean.findings[at]?.status === 'met',
      ),
    );
    expect(overclaimed).toEqual([]);
  });

  it('say no false sentence of correct or planted work', () => {
    for (const { given, clean, planted } of results)
      for (const [work, report] of [[given.work_product, clean] as const, [plantedWork(given), planted] as const])
        expect(rereadReport(requestOf(given, work), report), given.id).toMatchObject({ wrong: [] });
  });

  it('find met what a reviewer calls met in 14 percent', () => {
    expect(shareMet(results)).toBeGreaterThanOrEqual(0.14);
  });

  it('name the planted error in 45 percent and call hardly a hurt criterion met', () => {
    const named = results.filter((result) => result.named).length;
    const kept = results.flatMap(({ given, planted }) =>
      given.planted.hurts.filter((at) => planted.findings[at]?.status === 'met').map(() => given.id),
    );
    console.info(
      `${named} of ${results.length} errors named; hurt criteria still met: ${kept.length} (${kept.join(', ')})`,
    );
    expect(named / results.length).toBeGreaterThanOrEqual(0.45);
    expect(kept.length).toBeLessThanOrEqual(1);
  });

  it('place every statement within the work', () => {
    for (const { given, clean, planted } of results) {
      expect(misplaced(given.work_product, clean), given.id).toEqual([]);
      expect(misplaced(plantedWork(given), planted), given.id).toEqual([]);
    }
  });
});

/** The share of the criteria that a reviewer calls met which the report of the correct work calls met. */
function shareMet(results: readonly CaseResult[]): number {
  const wanted = results.reduce(
    (sum, { given }) => sum + given.clean.criteria.filter((one) => one === 'met').length,
    0,
  );
  return results.reduce((sum, { met }) => sum + met, 0) / wanted;
}

describe('the later cases', () => {
  const results: CaseResult[] = [];
  beforeAll(async () => {
    for (const given of readCases(laterCases)) results.push(await measureCase(given));
  }, 120_000);

  it('accuse no correct work and no criterion of it, and leave to a person what is a person’s', () => {
    expect(results).toHaveLength(10);
    for (const { given, clean, accused } of results) {
      expect(clean.verdict, given.id).not.toBe('revise');
      expect(accused, given.id).toEqual([]);
      for (const [at, expected] of given.clean.criteria.entries())
        if (expected === 'not_assessable') expect(clean.findings[at]?.status, given.id).not.toBe('met');
    }
  });

  it('find met what a reviewer calls met in 20 percent, name 80 percent of the errors and call no hurt criterion met', () => {
    expect(shareMet(results)).toBeGreaterThanOrEqual(0.2);
    expect(results.filter(({ named }) => named).length).toBeGreaterThanOrEqual(8);
    const kept = results.flatMap(({ given, planted }) =>
      given.planted.hurts.filter((at) => planted.findings[at]?.status === 'met').map(() => given.id),
    );
    expect(kept).toEqual([]);
  });

  it('say no false sentence of correct or planted work', () => {
    for (const { given, clean, planted } of results)
      for (const [work, report] of [[given.work_product, clean] as const, [plantedWork(given), planted] as const])
        expect(rereadReport(requestOf(given, work), report), given.id).toMatchObject({ wrong: [] });
  });
});

describe('the fresh cases', () => {
  const results: CaseResult[] = [];
  beforeAll(async () => {
    for (const given of readCases(freshCases)) results.push(await measureCase(given));
  }, 120_000);

  it('accuse no correct work and no criterion of it', () => {
    expect(results).toHaveLength(116);
    for (const { given, clean, accused } of results) {
      expect(clean.verdict, given.id).not.toBe('revise');
      expect(accused, given.id).toEqual([]);
    }
  });

  it('prove some of the correct statements and name 60 percent of the errors', () => {
    const sum = (of: (result: CaseResult) => number): number => results.reduce((all, one) => all + of(one), 0);
    expect(sum(({ found }) => found) / sum(({ given }) => given.clean.statements_supported.length)).toBeGreaterThan(
      0.05,
    );
    expect(sum(({ named }) => Number(named)) / results.length).toBeGreaterThan(0.6);
  });

  it('say no false sentence of correct or planted work', () => {
    for (const { given, clean, planted } of results)
      for (const [work, report] of [[given.work_product, clean] as const, [plantedWork(given), planted] as const])
        expect(rereadReport(requestOf(given, work), report), given.id).toMatchObject({ wrong: [] });
  });
});

/** One change to a text, at a place from 0 to 1. */
const edits: readonly ((text: string, at: number, figure: number) => string)[] = [
  function swapsTwoWords(text, at) {
    const words = text.split(' ');
    const place = Math.floor(at * (words.length - 1));
    [words[place], words[place + 1]] = [words[place + 1] ?? '', words[place] ?? ''];
    return words.join(' ');
  },
  function changesAFigure(text, at, figure) {
    const found = [...text.matchAll(/\d+/g)];
    const { 0: old = '', index = 0 } = found[Math.floor(at * found.length)] ?? {};
    return text.slice(0, index) + (old === '' ? '' : String(figure)) + text.slice(index + old.length);
  },
  function dropsASentence(text, at) {
    const sentences = text.split(/(?<=[.!?\n])/);
    sentences.splice(Math.floor(at * sentences.length), 1);
    return sentences.join('');
  },
  function doublesASentence(text, at) {
    const sentences = text.split(/(?<=[.!?\n])/);
    const place = Math.floor(at * sentences.length);
    return sentences.toSpliced(place, 0, sentences[place] ?? '').join('');
  },
  function putsOddCharactersIn(text, at, figure) {
    const odd = ['\u00a0', '\u200b', '“', '”', '🙂', 'é', 'e\u0301', '\u202e', 'ﬁ', 'ß', '−', '\r\n', '½', '٣'];
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + (odd[figure % odd.length] ?? '') + text.slice(place);
  },
];

describe('a report on a work edited at random', () => {
  it('says nothing false, keeps the contract and places every statement within the work', {
    timeout: 180_000,
  }, async () => {
    const edit = fc.tuple(
      fc.constantFrom(...edits),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 0, max: 99_999 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (given, changes) => {
          const text = typeof given.work_product === 'string' ? given.work_product : JSON.stringify(given.work_product);
          const work = changes.reduce((kept, [change, at, figure]) => change(kept, at, figure), text);
          fc.pre(work.trim() !== '' && work.isWellFormed());
          const request = requestOf(given, work);
          const report = await checkWork(request, { assessor: embeddedAssessor, now: NOW });
          validateReport(report, request);
          expect(rereadReport(request, report)).toMatchObject({ wrong: [] });
          expect(misplaced(work, report)).toEqual([]);
        },
      ),
      { numRuns: 100, seed: 20261122 },
    );
  });
});
