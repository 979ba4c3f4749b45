import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { CheckRequest } from './contract.ts';

const sales = { source: 'Sales export', text: 'Region,Units,Returns\nNorth,1204,31\nSouth,978,44\nWest,1150,12' };
const invoice = {
  source: 'Invoice 2207',
  text: 'Item | Quantity | Amount\nCopper pipe 15 mm | 40 | 212.00\nBrass valve | 6 | 89.40\nSolder wire | 3 | 21.60',
};
const check = async (work_product: CheckRequest['work_product'], evidence: { source: string; text: string }) => {
  const { findings } = await checkWork(
    { work_product, evidence: [evidence] },
    { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
  );
  return findings[0];
};

describe('sums and counts that a table holds', () => {
  it.each<[CheckRequest['work_product'], typeof sales]>([
    ['The total units are 3,332.', sales],
    ['The sum of returns is 87.', sales],
    [{ total_amount: 323 }, invoice],
    [{ item_count: 3 }, invoice],
  ])('are worked out: %j is borne out and cites the cells', async (work, evidence) => {
    const finding = await check(work, evidence);
    expect(finding?.status).toBe('met');
    expect(finding?.citations).toHaveLength(1);
  });

  it('name a wrong total, with the right one', async () => {
    expect(await check('The total units are 3,432.', sales)).toMatchObject({
      status: 'not_assessable',
      reason: expect.stringContaining('3332 as the sum of Units'),
    });
    expect((await check({ total: 320.5 }, invoice))?.reason).toContain('323 as the sum of Amount');
  });

  it('say nothing about a field whose name narrows it down', async () => {
    expect((await check({ total_paid: 301.4 }, invoice))?.status).not.toBe('contradicted');
  });

  it('say nothing about a sum over some of the rows', async () => {
    expect((await check('The total units in the two northern regions are 2,354.', sales))?.status).not.toBe(
      'contradicted',
    );
  });
});

describe('totals below the columns of the work', () => {
  const evidence = {
    source: 'Offers',
    text: 'The rooms cost 8,024 at the Linde and 7,412 at the Seehof. The hall is 900 and 952.',
  };
  const table = (total: string): string =>
    `| Item | Linde | Seehof |\n|---|---|---|\n| Rooms | 8,024 | 7,412 |\n| Hall | 900 | 952 |\n| Total | 8,924 | ${total} |`;
  const told = async (total: string): Promise<string | undefined> => {
    const { statements } = await checkWork(
      { work_product: table(total), evidence: [evidence] },
      { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
    );
    return `${statements.at(-1)?.status}: ${statements.at(-1)?.why}`;
  };

  it('are added up anew', async () => {
    expect(await told('8,364')).toBe("supported: By the table's own figures 7,412 + 952 = 8,364.");
    expect(await told('8,346')).toMatch(/^contradicted: .*7,412 \+ 952 = 8,364\.$/);
  });

  it('are no means, which lie between the figures above them', async () => {
    const work_product =
      '| Group | Stations | Mean |\n|---|---|---|\n| Inside | 5 | 21.2 |\n| Outside | 4 | 15.3 |\n| All | 9 | 18.6 |';
    const { statements } = await checkWork(
      { work_product, evidence: [{ source: 'Log', text: 'Five stations stand inside, four outside.' }] },
      { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
    );
    expect(statements.slice(-2).map(({ status }) => status)).toEqual(['supported', 'not_found']);
  });

  it('take off what has a minus', async () => {
    const work_product =
      '| Item | Linde | Seehof |\n|---|---|---|\n| Rooms | 8,024 | 7,412 |\n| Rebate | -24 | -12 |\n| Total | 8,000 | 7,400 |';
    const { statements } = await checkWork(
      { work_product, evidence: [{ source: 'Offers', text: 'Rooms 8,024 and 7,412; rebates of 24 and 12.' }] },
      { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
    );
    expect(statements.slice(-2).map(({ status }) => status)).toEqual(['supported', 'supported']);
  });

  it('are none of a list whose figures have thousands', async () => {
    const work_product = 'By house:\n1. Linde: 8,024 euros, 412 nights\n2. Seehof: 7,412 euros, 377 nights';
    const { statements } = await checkWork(
      { work_product, evidence: [evidence] },
      { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
    );
    expect(statements.map(({ kind }) => kind)).toEqual(['item', 'item']);
  });
});
