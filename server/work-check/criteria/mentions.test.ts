import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

async function finding(criterion: string): Promise<string> {
  const work = 'Lena rolled back to v411 in Berlin. PLAT-881 fixes the query, and plat-882 adds alerts.';
  const request = {
    work_product: work,
    evidence: [{ source: 'Chat', text: 'Lena: rolling back to v411. PLAT-881, PLAT-882.' }],
    criteria: [criterion],
  };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  const { status, reason } = report.findings[0] ?? {};
  return `${status}: ${reason}`;
}

describe('words that a criterion spells out', () => {
  it.each([
    ['References PLAT-881 and PLAT-882', 'met: The work contains “PLAT-881”, “PLAT-882”.'],
    ['Mentions Lena', 'met: The work contains “Lena”.'],
    ['Contains the words "adds alerts"', 'met: The work contains “adds alerts”.'],
    ['Includes PLAT-881, PLAT-883 and v412.', 'missing: The work does not contain “PLAT-883”, “v412”.'],
    ['Does not mention Omar', 'met: The work does not contain “Omar”.'],
    ['Must not mention Lena or Omar', 'contradicted: The work contains “Lena”.'],
    ['PLAT-881 is listed', 'met: The work contains “PLAT-881”.'],
    ['PLAT-881 is not listed', 'contradicted: The work contains “PLAT-881”.'],
    ['No mention of v412', 'met: The work does not contain “v412”.'],
    ['Does not use the word "incident"', 'met: The work does not contain “incident”.'],
  ])('%s: %s', async (criterion, expected) => {
    expect(await finding(criterion)).toBe(expected);
  });

  it.each(['Mentions Omar', 'Mentions PLAT-881 as the cause', 'Names the person who rolled back', 'Includes Dates'])(
    '%s is not read as the words alone',
    async (criterion) => {
      expect(await finding(criterion)).not.toMatch(/^\w+: The work (?:contains|does not contain)/);
    },
  );
});
