import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tools } from './operations.ts';
import { problems } from './problems/catalogue.ts';
import { disputeReasons } from './purchases/contract.ts';
import { chargeStates, jobStates, paymentStates, quoteStates, reviewStates, transitions } from './purchases/states.ts';
import { bounds, deterministicChecks, unsupportedWorkKinds, workKinds } from './work-check/contract.ts';

/** The specification's figures and words match the code's. Periods: `service/terms.test.ts`. */
const specification = readFileSync(path.resolve(import.meta.dirname, '../docs/specification.md'), 'utf8');

/** The rows of the table with this header, as cells. */
function table(head: string): string[][] {
  const [, rows = ''] = specification.split(`${head}\n`);
  const [lines = ''] = rows.split('\n\n');
  return lines
    .split('\n')
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '));
}

const cited = execFileSync(
  'git',
  ['grep', '-hoiE', 'specification [0-9]+(\\.[0-9]+)?', '--', 'server', 'app', 'components', ':!*.json'],
  {
    cwd: path.resolve(import.meta.dirname, '..'),
    encoding: 'utf8',
  },
);

describe('the specification', () => {
  it('has every section that a comment cites', () => {
    const sections = [...new Set([...cited.matchAll(/[\d.]+/g)].map(([section]) => section))];
    expect(sections.length).toBeGreaterThan(20);
    expect(sections.filter((it) => !specification.includes(it.includes('.') ? `\n${it} ` : `\n## ${it}. `))).toEqual(
      [],
    );
  });

  it('lists every problem with its status, and whether to repeat', () => {
    expect(table('| code | status | may be repeated |')).toEqual(
      Object.entries(problems).map(([code, { status, retryable }]) => [
        `\`${code}\``,
        String(status),
        retryable ? 'yes' : 'no',
      ]),
    );
  });

  it('lists every bound of a check', () => {
    expect(table('| bound | at most |')).toEqual(
      Object.entries(bounds).map(([name, most]) => [`\`${name}\``, most.toLocaleString('en')]),
    );
  });

  it('lists every move of a job', () => {
    expect(table('| transition | from | to |')).toEqual(
      Object.entries(transitions).map(([name, { from, to }]) => [`\`${name}\``, from.join(', '), to]),
    );
    expect(new Set(Object.values(transitions).flatMap(({ from, to }) => [...from, to]))).toEqual(new Set(jobStates));
  });

  it.each([
    ['7.1', quoteStates],
    ['7.3', [...paymentStates, ...chargeStates, ...reviewStates]],
    ['9.1', disputeReasons],
    ['6.3', deterministicChecks],
    ['1.4', workKinds],
    ['13.1', [...tools.keys()]],
  ])('names in %s each of %s', (section, words) => {
    const [, text = ''] = specification.split(`\n${section} `);
    const [paragraph = ''] = text.split('\n\n');
    expect(words.filter((word) => !paragraph.includes(`\`${word}\``))).toEqual([]);
  });

  it('names the kinds of work that are refused', () => {
    const [, text = ''] = specification.toLowerCase().split('\n1.4 ');
    const refused = unsupportedWorkKinds.map((kind) => kind.split('_')[0] ?? '');
    expect(refused.filter((word) => !text.slice(0, 600).includes(word))).toEqual([]);
  });
});
