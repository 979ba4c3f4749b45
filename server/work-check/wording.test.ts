import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { Report } from './contract.ts';
import { decidedKinds } from './criteria/kinds.ts';

type Source = { source: string; text: string };
const check = (work_product: string, evidence: Source[], criteria: string[] = []): Promise<Report> =>
  checkWork(
    { work_product, evidence, criteria: criteria.length > 0 ? criteria : ['All statements agree with the evidence'] },
    { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') },
  );
const statuses = async (work: string, evidence: Source[]): Promise<string[]> =>
  (await check(work, evidence)).statements.map(({ status }) => status);

describe('a statement', () => {
  const bridge = [{ source: 'Guide', text: 'The Weir Street bridge is 312 metres long and opened on 4 May 1932.' }];

  it('is borne out with and without a citation marker', async () => {
    for (const mark of ['', ' [1]', ' [1, 2]', ' [^3]'])
      expect(await statuses(`The Weir Street bridge is 312 metres long${mark}.`, bridge), mark).toEqual(['supported']);
  });

  it('is borne out under a heading in its own line, but not with another name there', async () => {
    expect(await statuses('**Condition.** The Weir Street bridge is 312 metres long.', bridge)).toEqual(['supported']);
    expect(await statuses('Halberd: The Weir Street bridge is 312 metres long.', bridge)).toEqual(['not_found']);
  });

  it('is not contradicted by the first of two events when it tells of the last', async () => {
    const record = [{ source: 'Record', text: 'Meloxicam with food for 7 days, first dose on 4 March at home.' }];
    expect(await statuses('The last dose of meloxicam at home is on 10 March.', record)).not.toContain('contradicted');
  });

  it('is contradicted when a span and its length side by side do not agree', async () => {
    const log = [{ source: 'Log', text: 'Requests failed from 06:12; at 06:31 they worked again.' }];
    expect(await statuses('Requests failed from 06:12 to 06:31, 29 minutes.', log)).toEqual(['contradicted']);
    expect(await statuses('Requests failed from 06:12 to 06:31, 19 minutes.', log)).not.toContain('contradicted');
    expect(await statuses('The shop is open from 9:00 to 17:00 with a break of 30 minutes.', log)).not.toContain(
      'contradicted',
    );
  });

  it('of a table is contradicted when its row does not add up and the other rows do', async () => {
    const sheets = [{ source: 'Sheets', text: 'Quill 240 and 211, Rao 198 and 254, Staunton 96 and 71.' }];
    const table = (total: number): string =>
      `| Name | Hall | School | Total |\n| --- | --- | --- | --- |\n| Quill | 240 | 211 | 451 |\n| Rao | 198 | 254 | 452 |\n| Staunton | 96 | 71 | ${total} |`;
    const of = async (total: number): Promise<string | undefined> =>
      (await check(table(total), sheets)).statements.at(-1)?.status;
    expect(await of(167)).toBe('supported');
    expect(await of(176)).toBe('contradicted');
  });

  it('of a table is said to be written otherwise than the rest of its column', async () => {
    const rows = ['Pinta | 19.50', 'Roque | 20.50', 'Hasel | 22.50', 'Brisa | 35.50 EUR', 'Ferrol | 25.00'];
    const report = await check(`| Wine | Price |\n| --- | --- |\n${rows.map((row) => `| ${row} |`).join('\n')}`, [
      { source: 'List', text: 'Pinta, Roque, Hasel, Brisa and Ferrol are on the list.' },
    ]);
    const said = report.statements.filter(({ why }) => why.includes('no plain number'));
    expect(said.map(({ why }) => /“[^”]*”/.exec(why)?.[0])).toEqual(['“35.50 EUR”']);
    expect(said[0]?.why).toContain('the only value of 5 there');
  });
});

describe('what is said to stand nowhere', () => {
  it.each([
    ['The board met in Oct 2025 about lorries.', 'The board met in October 2025 about bicycles.'],
    ['The clinic closed on 2 April 2026 for painters.', 'Dates: 14/02/2026 opening. The clinic closed on 02/04/2026.'],
    ['The count ended at 23:52 with applause.', 'Time of the count: 23.52 hours, no applause.'],
    ['The meeting began at 18:30 with cake.', 'We met at half past six without any sweets.'],
    [
      'Availability was 99.97% in winter.',
      'service,month,availability_pct,downtime\napi,2026-02,99.97,12\napi,2026-03,99.94,27',
    ],
  ])('no report says so of a figure in another form: %s', async (work, text) => {
    const report = await check(work, [{ source: 'Record', text }]);
    const said = [...report.findings.map(({ reason }) => reason), ...report.statements.map(({ why }) => why)].join(
      '\n',
    );
    for (const figure of ['Oct 2025', '2 April 2026', '23:52', '18:30', '99.97'])
      expect(said).not.toMatch(new RegExp(`“${figure}[^”]*”[^.]* nowhere in the evidence`));
  });
});

describe('a criterion', () => {
  const minutes = [{ source: 'Minutes', text: 'The board meets on 4 May 2026. The roof costs 3,800 euros.' }];

  it('that asks when somebody meets somebody is answered by a date', async () => {
    const report = await check('The board meets on 4 May 2026. The roof costs 3,800 euros.', minutes, [
      'Says when the board meets the architects',
    ]);
    expect(report.findings[0]?.reason).toContain('“The board meets on 4 May 2026.”');
  });

  it('that asks for a warning against something asks for no comparison', async () => {
    const report = await check('The roof costs 3,800 euros.', minutes, ['Warns against the old ladder']);
    expect(report.findings[0]).toMatchObject({ status: 'not_assessable' });
    expect(report.findings[0]?.reason).not.toContain('comparison');
  });

  it('of absence does not claim what another kind decides', () => {
    expect(decidedKinds.find(({ name }) => name === 'absence')?.decides).not.toContain('personal data');
  });
});
