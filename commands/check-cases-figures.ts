import { type CaseResult, placeOf, plantedWork } from './check-cases.ts';

type Sum = (of: (result: CaseResult) => number) => number;

/** The figures of a set of cases, by their names: a part of a whole, with its share. */
export function figuresOf(results: readonly CaseResult[]): Record<string, string> {
  const sum: Sum = (of) => results.reduce((total, result) => total + of(result), 0);
  const prose = results.filter(({ given }) => typeof given.work_product === 'string');
  return {
    ...ofVerdicts(results.length, sum),
    ...ofCriteria(sum),
    'statements of the planted error called borne out': share(
      prose.reduce((total, result) => total + errorsSupported(result), 0),
      prose.length,
    ),
    'correct statements found': share(
      sum(({ found }) => found),
      sum(({ given }) => given.clean.statements_supported.length),
    ),
    'of prose': share(
      prose.reduce((total, { found }) => total + found, 0),
      prose.reduce((total, { given }) => total + given.clean.statements_supported.length, 0),
    ),
    'characters of a report over 8,000 + 6 x work': share(
      sum(({ given, clean }) => Number(lengthOf(clean) > 8_000 + 6 * lengthOf(given.work_product))),
      results.length,
    ),
  };
}

const share = (part: number, whole: number): string =>
  `${part} of ${whole} (${Math.round((part / Math.max(1, whole)) * 1000) / 10}%)`;

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value : JSON.stringify(value)).length;

function ofVerdicts(pairs: number, sum: Sum): Record<string, string> {
  const count = (test: (result: CaseResult) => boolean): string =>
    share(
      sum((result) => Number(test(result))),
      pairs,
    );
  return {
    'correct work called supported': count(({ clean }) => clean.verdict === 'supported'),
    'correct work called revise': count(({ clean }) => clean.verdict === 'revise'),
    'planted work not supported': count(({ planted }) => planted.verdict !== 'supported'),
    'planted work called revise': count(({ planted }) => planted.verdict === 'revise'),
    'planted error named': count(({ named }) => named),
    'planted work told apart from the correct one': count(({ clean, planted }) => clean.verdict !== planted.verdict),
  };
}

function ofCriteria(sum: Sum): Record<string, string> {
  const called = (what: string) => sum(({ given }) => given.clean.criteria.filter((one) => one === what).length);
  return {
    'criteria of correct work missing or contradicted': share(
      sum(({ accused }) => accused.length),
      sum(({ given }) => given.criteria.length),
    ),
    'criteria a reviewer calls met found met': share(
      sum(({ met }) => met),
      called('met'),
    ),
    'met although only a person can tell': share(
      sum(
        ({ given, clean }) =>
          given.clean.criteria.filter(
            (one, index) => one === 'not_assessable' && clean.findings[index]?.status === 'met',
          ).length,
      ),
      called('not_assessable'),
    ),
    'hurt criteria still met': share(
      sum(
        ({ given, planted }) => given.planted.hurts.filter((index) => planted.findings[index]?.status === 'met').length,
      ),
      sum(({ given }) => given.planted.hurts.length),
    ),
  };
}

/** Statements of a text that only the planted version has, and that its report calls supported. */
function errorsSupported({ given, clean, planted }: CaseResult): number {
  const known = new Set(clean.statements.map((one) => placeOf(given.work_product, one)));
  const work = plantedWork(given);
  return planted.statements.filter((one) => one.status === 'supported' && !known.has(placeOf(work, one))).length;
}
