import { describe, expect, it } from 'vitest';
import { freshCases, readCases } from '../../../commands/check-cases.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';
import { readWork } from '../statements.ts';
import { foreignLanguage, languageOf } from './language.ts';

const german =
  'Vielen Dank für Ihre Nachricht. Zwischen Oktober und September haben Sie mehr Strom verbraucht als im Jahr davor. ' +
  'Auf Wunsch können Sie den offenen Betrag in drei Raten zahlen, Zinsen berechnen wir dafür nicht.';

describe('work that is not in English', () => {
  it('is told from English, and from tables of figures and names', () => {
    const foreign = readCases(freshCases).flatMap(({ id, work_product }) =>
      foreignLanguage(readWork(work_product)) === undefined ? [] : [id],
    );
    expect(foreign).toEqual(['kassenprojekt-status', 'kundenantwort-stromabschlag', 'steuerbescheid-erklaert']);
    expect(foreignLanguage(readWork(german))).toBe('in German');
  });

  it('has its language told for certain when it is prose', () => {
    const prose = readCases(freshCases).filter(
      ({ work_product }) =>
        typeof work_product === 'string' && !work_product.includes('|') && /[.]\s/.test(work_product),
    );
    expect(prose.length).toBeGreaterThan(5);
    const told = prose.filter(({ work_product }) => 'code' in languageOf(readWork(work_product)));
    expect(told.length / prose.length).toBeGreaterThan(0.9);
  });

  it('is said to have been read by its figures and names only', async () => {
    const request = {
      work_product: german,
      evidence: [{ source: 'Rechnung', text: 'Stromverbrauch: 3.180 kWh.' }],
      criteria: ['Höflicher Ton, durchgehend per Sie'],
    };
    const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
    expect(report.limitations.join(' ')).toContain('By its letters the work is in German. The rules read English:');
    expect(report.findings[0]?.reason).toContain('By its letters the work is in German, and the rules read English');
  });
});
