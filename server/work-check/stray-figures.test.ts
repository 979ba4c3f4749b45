import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { CheckRequest, Report } from './contract.ts';

const NOW = new Date('2026-01-15T12:00:00Z');

async function statements(
  work_product: CheckRequest['work_product'],
  ...contents: string[]
): Promise<Report['statements']> {
  const evidence = contents.map((content, at) => ({ source: `Source ${'ABC'[at]}`, text: content }));
  const request = { work_product, evidence, criteria: ['All figures match the evidence'] };
  return (await checkWork(request, { assessor: embeddedAssessor, now: NOW })).statements;
}

describe('a figure that stands elsewhere', () => {
  it('does not bear out a sentence beside the passage that says the same with another', async () => {
    const [terms, notes] = [
      'We pay the refund within 7 working days after the parcel reaches our warehouse.',
      'We answer within 2 working days after your mail reaches our desk.',
    ];
    const refund = (days: number): string =>
      `We pay the refund within ${days} working days after the parcel reaches our warehouse.`;
    expect((await statements(refund(7), terms, notes))[0]?.status).toBe('supported');
    expect((await statements(refund(2), terms, notes))[0]?.status).not.toBe('supported');
  });

  it('does not bear out a field whose line it does not stand in', async () => {
    const bill = 'The period has 365 days.\nThe new monthly instalment is 96 euros.';
    const [right] = await statements({ new_monthly_instalment: 96 }, bill);
    const [wrong] = await statements({ new_monthly_instalment: 365 }, bill);
    expect([right?.status, wrong?.status === 'supported']).toEqual(['supported', false]);
  });

  it('is no percentage', async () => {
    const survey = 'Valid answers: 640. Members who never use the app: 96 of 640.';
    expect(
      (await statements('Of the members who answered, 640 percent never use the app.', survey))[0]?.status,
    ).not.toBe('supported');
  });

  it('is no part of a name', async () => {
    const log = 'The deploy of 4f2c finished with 12 of 12 pods. The deploy took 5 minutes.';
    const [right] = await statements('The deploy of 4f2c finished with 12 of 12 pods.', log);
    const [wrong] = await statements('The deploy of 5f2c finished with 12 of 12 pods.', log);
    expect([right?.status, wrong?.status === 'supported']).toEqual(['supported', false]);
  });
});

describe('a figure that only chance gives', () => {
  it('is no score out of two other figures', async () => {
    const sheet = 'Vestby won 31:28. Vestby goals: Nordin 22. Garlund goals: Ferri 6, Duval 2. Half-time 14:15.';
    const [wrong] = await statements('Vestby took a two-goal lead, 16–14, into the dressing room.', sheet);
    expect(wrong?.status).not.toBe('supported');
  });

  it('is no total of a fee, a price and a percentage', async () => {
    const terms = 'Base fee: 1,000 euros a month. Each call beyond costs 0.15 euros. The discount is 5 percent.';
    const [wrong] = await statements({ total_charge: 1005.2 }, terms);
    expect(wrong?.status).not.toBe('supported');
  });
});

describe('a table of the evidence', () => {
  const log = [
    'date,plot,crop,crates,net_kg_per_crate,sorted_out_kg',
    '2025-08-18,N1,courgette,64,9.5,22',
    '2025-08-19,S2,tomato,118,6.0,31',
    '2025-08-20,N1,courgette,52,9.5,18',
    '2025-08-21,S2,tomato,131,6.0,40',
    '2025-08-23,S3,tomato,47,6.0,26',
  ].join('\n');

  it('is not summed over what one of each weighs', async () => {
    const table =
      '| Crop | Total net weight |\n|---|---|\n| Courgettes | 1,102 |\n| Tomatoes | 1,776 |\n| Total | 2,878 |';
    expect((await statements(table, log)).some(({ status }) => status === 'contradicted')).toBe(false);
  });
});

it('a row that ends with an empty cell belongs to its table', async () => {
  const report = 'Test | Result | Unit | Mark\nFerritin | 11 | µg/L | L\nVitamin B12 | 298 | pmol/L |\n';
  const note = 'For vitamin B12 one pmol/L equals about 1.355 pg/mL.';
  const work = (unit: string) => ({ results: [{ test: 'Vitamin B12', value: 298, unit }] });
  const unitOf = async (unit: string) =>
    (await statements(work(unit), report, note)).find(({ path }) => path === '/results/0/unit')?.status;
  expect([await unitOf('pmol/L'), await unitOf('pg/mL')]).toEqual(['supported', 'contradicted']);
});
