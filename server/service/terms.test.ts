import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { daySeconds, lasting, terms } from './terms.ts';

/** The terms have one home: a copy would keep the old figure when they change. */
const root = path.resolve(import.meta.dirname, '../..');

/** Samples and test material are not texts of the service. */
const elsewhere = /(^|\/)(terms|examples|sample)\.ts$|\.(test|e2e|deep)\.tsx?$|-trial\.ts$|^server\/generated\//;

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
words[15] = 'fifteen';
words[24] = 'twenty-four';
words[30] = 'thirty';

/** Each way to say a period in one unit: `72 hours`, `three days`. */
function waysToSay(length: number): string[] {
  const units: [number, string][] = [
    [1, 'second'],
    [60, 'minute'],
    [3_600, 'hour'],
    [daySeconds, 'day'],
  ];
  return units
    .filter(([size]) => length % size === 0)
    .flatMap(([size, unit]) => {
      const count = length / size;
      const spelled = [String(count), count.toLocaleString('en'), ...(words[count] ? [words[count]] : [])];
      return spelled.map((number) => `${number}[ -]${unit}s?`);
    });
}

const periods = Object.values(terms.seconds);
const spelledPeriod = new RegExp(`(?<![\\w.,])(?:${periods.flatMap(waysToSay).join('|')})\\b`, 'i');
/** Shorter numbers mean other things, too. */
const distinct = [...periods.filter((length) => length > daySeconds), Number(terms.price)];
const { name: _, summary: __, ...identifiers } = terms.service;
const price = /\b(?:5|five)(?:\.00)? (?:USDC?|dollars)\b/i;

/** The terms spelled in this program text, comments aside. */
function spelledIn(file: string, text: string): string[] {
  const { comments } = parseSync(file, text);
  const code = comments.reduceRight(
    (rest, { start, end }) => rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end),
    text,
  );
  return [
    ...(spelledPeriod.exec(code) ?? []),
    ...(price.exec(code) ?? []),
    ...Object.values(identifiers).filter((identifier) => code.includes(`'${identifier}'`)),
    ...distinct.filter((number) => new RegExp(`\\b${number}\\b`).test(code.replace(/(?<=\d)_(?=\d)/g, ''))).map(String),
  ];
}

const sources = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'server', 'app', 'components', 'client'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !elsewhere.test(file) && existsSync(path.join(root, file)));

/** Prints what a copy of the server says about its review window, and about itself. */
const tellAll = `
  import { contractTerms } from './server/discovery/contract-terms.ts';
  import { readConfiguration } from './server/configuration.ts';
  import { operations } from './server/operations.ts';
  import { lasting } from './server/service/terms.ts';
  import { exampleRequest, sampleReport } from './server/work-check/sample.ts';
  const configuration = readConfiguration({
    DATABASE_URL: 'postgresql://nobody@127.0.0.1/none', BASE_URL: 'http://127.0.0.1:3000', ENVIRONMENT: 'test',
    SECRET_KEY: 'k'.repeat(43), NEXTAUTH_SECRET: 'n'.repeat(43), RECEIPT_KEYS_FILE: 'none',
  });
  const terms = contractTerms({ configuration, rails: new Map() });
  const report = await sampleReport();
  console.log(JSON.stringify({ terms, report, operations: Object.values(operations).map(({ summary }) => summary) },
    (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  console.log(terms.review_window_seconds, terms.review_deadline_seconds, report.delivery.review_window_seconds, lasting('reviewWindow'));
`;

/** What a copy of the server says about itself after `change` to its terms. */
function toldBy(change: (text: string) => string): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'work-check-terms-'));
  try {
    cpSync(path.join(root, 'server'), path.join(copy, 'server'), { recursive: true });
    cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    const file = path.join(copy, 'server/service/terms.ts');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    return execFileSync(process.execPath, ['--input-type=module', '--eval', tellAll], { cwd: copy, encoding: 'utf8' });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** What each version of the terms says. A version that somebody accepted stays here as it was. */
const versions: Record<string, string> = {
  '2026-07-21': 'cec21b47f9b7321c',
};

describe('the terms', () => {
  it('have a version of their own, and a version says one thing for ever', () => {
    const { service, ...said } = terms;
    const saying = JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(
      createHash('sha256').update(saying).digest('hex').slice(0, 16),
      'The terms changed: give them a new termsVersion, and add it to the versions with this digest.',
    ).toBe(versions[service.termsVersion]);
  });

  it('are told alike by the contract, the sample report and every operation once one of them is another', () => {
    const told = toldBy((text) => text.replace(/reviewWindow: [\d_]+/, 'reviewWindow: 90_000'));
    expect(told.trimEnd().split('\n').at(-1)).toBe('90000 90000 90000 25 hours');
    const { reviewWindow } = terms.seconds;
    expect(told).not.toMatch(new RegExp([String(reviewWindow), ...waysToSay(reviewWindow)].join('|')));
  });

  it('are spelled in one file', () => {
    const again = sources.flatMap((file) =>
      spelledIn(file, readFileSync(path.join(root, file), 'utf8')).map((spelled) => `${file}: ${spelled}`),
    );
    expect(again).toEqual([]);
  });

  const { reviewWindow, executionDeadline } = terms.seconds;
  it.each([
    [`const text = 'Dispute it within ${lasting('reviewWindow')}.';`, lasting('reviewWindow')],
    [`const text = 'A report takes ${executionDeadline} seconds at most.';`, `${executionDeadline} seconds`],
    [`const reviewWindow = ${reviewWindow};`, String(reviewWindow)],
    ["const key = 'svc_work_check';", 'svc_work_check'],
    ["const letter = 'A check costs 5.00 USD.';", '5.00 USD'],
    [`const text = <p>Kept for ${lasting('retention')}.</p>;`, lasting('retention')],
  ])('are found where %s spells them again', (text, spelled) => {
    expect(spelledIn('planted.tsx', text)).toContain(spelled);
  });

  it('are those of the specification, to the second', () => {
    const specification = readFileSync(path.join(root, 'docs/specification.md'), 'utf8');
    const missing = Object.entries(terms.seconds).flatMap(([name, length]) => {
      const row = `| \`${name}\` | ${length.toLocaleString('en')} | ${lasting(name as keyof typeof terms.seconds)} |`;
      return specification.includes(row) ? [] : [row];
    });
    expect(missing).toEqual([]);
  });
});
