import { describe, expect, it } from 'vitest';
import { evidenceOf, statementOf } from '../material-trial.ts';
import { findWrongChange } from './table-changes.ts';

const leads = [
  '| Region | Q1 leads | Q1 deals | Q2 leads | Q2 deals |',
  '|---|---|---|---|---|',
  '| North | 240 | 36 | 260 | 52 |',
  '| South | 310 | 31 | 280 | 42 |',
  '| East | 150 | 30 | 190 | 19 |',
  '| West | 200 | 24 | 170 | 34 |',
].join('\n');
const wrong = (work: string) => findWrongChange(statementOf(work), evidenceOf(leads))?.says;

describe('a change that a table gives otherwise', () => {
  it.each([
    ['South had 40 more leads.', 'for South it is 310 under “Q1 leads” and 280 under “Q2 leads”, a difference of 30'],
    ['East had 9 fewer deals.', 'for East it is 30 under “Q1 deals” and 19 under “Q2 deals”, a difference of 11'],
    ['Deals rose from 121 in Q1 to 157 in Q2.', 'it is 121 under “Q1 deals” and 147 under “Q2 deals”'],
    ['West improved its rate from 14% to 20%.', 'for West 24 under “Q1 deals” of 200 under “Q1 leads” is 12 percent'],
    [
      'West improved most, from 14% to 20%, and North reached 20% as well.',
      'for West 24 under “Q1 deals” of 200 under “Q1 leads” is 12 percent',
    ],
    [
      'Deals rose from 121 in Q1 to 157 in Q2, while leads stayed flat at 900.',
      'it is 121 under “Q1 deals” and 147 under “Q2 deals”',
    ],
    ['The overall rate went from 13.4% to 18.3%.', '147 under “Q2 deals” of 900 under “Q2 leads” is 16.3 percent'],
  ])('%s', (work, says) => {
    expect(wrong(work)).toBe(says);
  });

  it.each([
    'East had 40 more leads but 11 fewer deals, and its rate halved from 20% to 10%.',
    'Deals rose from 121 in Q1 to 147 in Q2.',
    'West improved its rate from 12% to 20%.',
    'The overall rate went from 13.4% to 16.3%.',
    'South had 90 more leads than West.',
    'The budget rose from 500 to 600.',
    'Our share of the market went from 3% to 5%.',
    'North and South together had 550 leads.',
    'Leads in North rose by 20.',
  ])('is not found in “%s”', (work) => {
    expect(wrong(work)).toBeUndefined();
  });
});
