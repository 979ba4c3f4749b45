import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';
import type { Report } from '../contract.ts';
import { sectionReferences } from './sections.ts';

const HANDBOOK = {
  source: 'Employee handbook, chapter 7',
  text: [
    '7.1 Relatives are parents, partners and children.',
    '7.2 Employees may be absent for up to ten working days per calendar year to organise care.',
    '7.3 A certificate of the doctor is handed in within five working days.',
    '7.4 Reduced hours for care are granted for up to six months. Pay is reduced in proportion.',
  ].join('\n'),
};

async function judged(work_product: string): Promise<Report['statements'][number] | undefined> {
  const request = { work_product, evidence: [HANDBOOK], criteria: ['Every rule stated has its section'] };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  return report.statements[0];
}

describe('a section that the work cites', () => {
  it('is found by its number', async () => {
    const right = await judged('Pay is reduced in proportion when hours are reduced for care [Handbook 7.4].');
    expect(right?.status).toBe('supported');
  });

  it('is named when its source has none of that number', async () => {
    const wrong = await judged('Pay is reduced in proportion when hours are reduced for care [Handbook 7.6].');
    expect(wrong?.status).toBe('not_found');
    expect(wrong?.why).toContain(
      'It cites “Handbook 7.6”; the sections of Employee handbook, chapter 7 run from 7.1 to 7.4, and none is 7.6.',
    );
  });

  it('does not bear out what another section says', async () => {
    const wrong = await judged('A certificate of the doctor is handed in within five working days (section 7.1).');
    expect(wrong?.status).toBe('not_found');
    expect(wrong?.why).toContain('The section that it cites is about something else;');
  });

  it.each([
    ['Leave is ten days [Handbook 7.2].', 'Handbook', '7.2'],
    ['Leave is ten days (section 7.2).', '', '7.2'],
    ['Under clause 14 of the lease, rent is due monthly.', 'lease', '14'],
    ['§ 5.1 applies.', '', '5.1'],
  ])('is read out of “%s”', (text, name, number) => {
    expect(sectionReferences({ text })).toMatchObject([{ name, number }]);
  });

  it.each(['The trip takes 7.4 hours (May 2026).', 'It rose by 12 [3].', 'Rule of thumb: 4 per room.'])(
    'is not read into “%s”',
    (text) => {
      expect(sectionReferences({ text }).filter(({ name }) => name !== 'May')).toEqual([]);
    },
  );
});
