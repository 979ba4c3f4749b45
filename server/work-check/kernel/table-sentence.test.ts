import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

const now = new Date('2026-01-15T12:00:00Z');
async function statusOf(work_product: string, text: string): Promise<string | undefined> {
  const { statements } = await checkWork(
    { work_product, evidence: [{ source: 'Tables', text }] },
    { assessor: embeddedAssessor, now },
  );
  return statements[0]?.status;
}

const sold = (weeks: string, rows: string): string =>
  `${weeks} weeks ended May 3\n\n| Line | 2025 | 2024 |\n|---|---|---|\n${rows}\n`;
const periods = `Boots sold, in pairs\n${sold('Five', '| Kelda | 812 | 745 |')}\n${sold('Nine', '| Kelda | 1,930 | 1,715 |')}`;
const points =
  '| Place | Baker | Points of jury | Points of visitors |\n|---|---|---|---|\n| 1 | Oona Field | 46 | 38 |\n| 2 | Marek Lis | 44 | 41 |';
const months = 'month,domestic,international\n2026-03,21150,11300\n2026-04,22700,14850';
const doses = 'drug,dose,unit\nLevoxin,75,µg\nTorasal,10,mg';
const errands = '| Date | Done by | Asked by | Hours |\n|---|---|---|---|\n| 3 April | Pia Lund | Otto Hain | 4 |';

describe('a sentence over a table is proven by its cells', () => {
  it.each([
    ['the row is named by another cell than the first', 'Marek Lis got 44 points from the jury.', points],
    ['a row is a month', 'In March 2026 there were 11,300 international passengers.', months],
    ['the heading gives the period', 'Kelda sold 1,930 pairs in the nine weeks ended May 3, 2025.', periods],
    ['a column gives the unit', 'The dose of Levoxin is 75 µg.', doses],
  ])('where %s', async (_, sentence, text) => {
    expect(await statusOf(sentence, text)).toBe('supported');
  });

  it.each([
    ['of another column', 'Marek Lis got 41 points from the jury.', points],
    ['of another month', 'In March 2026 there were 14,850 international passengers.', months],
    ['of another period', 'Kelda sold 1,930 pairs in the five weeks ended May 3, 2025.', periods],
    ['of another year', 'Kelda sold 1,930 pairs in the nine weeks ended May 3, 2024.', periods],
    ['in another unit', 'The dose of Levoxin is 75 mg.', doses],
    ['of two people whose roles the verb tells', 'Otto Hain worked 4 hours as asked by Pia Lund.', errands],
  ])('but not by a figure %s', async (_, sentence, text) => {
    expect(await statusOf(sentence, text)).not.toBe('supported');
  });
});
