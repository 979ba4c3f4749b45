import { describe, expect, it } from 'vitest';
import { answerTo } from '../material-trial.ts';

const list = (...lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
const order = (criterion: string, ...lines: readonly string[]) => answerTo(criterion, list(...lines), lines.join('. '));

describe('an order', () => {
  it.each([
    ['Prices are in rising order', ['2.40 EUR for tea', '3.10 EUR for coffee', '4.20 EUR for cake'], 'rise'],
    ['Sorted from the dearest', ['4.20 EUR for cake', '3.10 EUR for coffee', '2.40 EUR for tea'], 'fall'],
    ['Events are in chronological order', ['10:00 Alarm rang', '10:10 Pump reset', '10:20 Office called'], 'rise'],
    [
      'Dates are in order',
      ['4 May 2026: board meeting', '9 June 2026: site visit', '2 July 2026: opening day'],
      'rise',
    ],
  ])('is met: %s', async (criterion, lines, way) => {
    expect(await order(criterion, ...lines)).toMatch(new RegExp(`^met: The 3 figures from .* ${way} throughout\\.$`));
  });

  it('that is broken is shown at the place where it breaks, for a person to judge', async () => {
    const answer = await order(
      'Events are in chronological order',
      '10:00 Alarm rang',
      '10:20 Office called',
      '10:10 Pump reset',
    );
    expect(answer).toMatch(/^partly_met: .*“10:10” stands behind “10:20”\.$/);
  });

  it('follows the column that is named, the way that is asked, and names the rows', async () => {
    const table = (rows: readonly string[]) => ['item,have,shortfall', ...rows].join('\n');
    const [paint, brush, glue] = ['Paint,63,87', 'Brush,104,16', 'Glue,115,35'];
    const criterion = 'Sorted by shortfall, the largest at the top';
    const evidence = 'The list follows.';
    expect(await answerTo(criterion, table([paint, glue, brush]), evidence)).toMatch(/^met: The 3 figures .* fall/);
    expect(await answerTo(criterion, table([paint, brush, glue]), evidence)).toMatch(
      /^partly_met: .* do not fall throughout: “35” \(Glue\) stands behind “16” \(Brush\)\.$/,
    );
    expect(await answerTo(criterion, table([brush, glue, paint]), evidence)).toMatch(/^partly_met: /);
  });

  it('of records is read from their field, and days and times count together', async () => {
    const hearings = ['2025-10-13T09:30', '2025-10-13T14:00', '2025-10-15T10:00'].map((starts) => ({ starts }));
    const work = { as_of: '2025-12-01', hearings };
    expect(await answerTo('Hearings run from the earliest to the latest', work, 'The list.')).toMatch(/^met: .* rise/);
  });

  it('that must be the right one is not kept by times that rise: each step must be proven where it stands', async () => {
    const steps = list('08:00 Drain the oil', '09:00 Take the sample', '10:00 Fill in new oil');
    const evidence = 'The sample is taken first, at 08:00. Then the oil is drained.';
    expect(await answerTo('The steps are in the right order', steps, evidence)).toMatch(/^not_assessable: /);
  });

  it('of importance is nothing that figures tell', async () => {
    const work = ['- Segment 2 fails', '- Segment 10 fails', '- Segment 8 fails'].join('\n');
    expect(await answerTo('Ordered by severity, the most serious at the top', work, 'It fails.')).not.toMatch(
      /figures/,
    );
  });

  it.each([
    ['two figures', ['10:00 Alarm rang', '10:20 Office called']],
    ['no figures', ['The alarm rang', 'The office was called', 'The pump was reset']],
  ])('of %s is not called broken', async (_, lines) => {
    expect(await order('Events are in chronological order', ...lines)).not.toMatch(
      /^(?:met|missing|contradicted): The/,
    );
  });
});
