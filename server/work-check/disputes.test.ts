import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { CheckRequest, Report } from './contract.ts';
import { answerTo } from './material-trial.ts';

type Source = { source: string; text: string; observed_at?: string };

const report = (work_product: CheckRequest['work_product'], evidence: Source[], criteria?: string[]): Promise<Report> =>
  checkWork(
    { work_product, evidence, ...(criteria === undefined ? {} : { criteria }) },
    { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') },
  );

const notice = { source: 'Council notice', text: 'The bridge is closed from 2 August 2026 for repairs.' };
const letter = { source: 'Bus company letter', text: 'The bridge is closed from 9 August 2026.' };

describe('sources that contradict each other', () => {
  it('make the verdict escalate and are both quoted', async () => {
    const { verdict, statements, findings } = await report('The bridge is closed from 2 August 2026.', [
      notice,
      letter,
    ]);
    expect(verdict).toBe('escalate');
    expect(statements[0]?.status).toBe('not_found');
    expect(statements[0]?.why).toContain('Council notice says “The bridge is closed from 2 August 2026 for repairs.”');
    expect(statements[0]?.why).toContain('Bus company letter says “The bridge is closed from 9 August 2026.”');
    expect(statements[0]?.citations?.map(({ ref }) => ref)).toEqual(['evidence/0', 'evidence/1']);
    expect(findings[0]?.reason).toContain('A person should decide');
  });

  it('are none where each source speaks of a thing of its own', async () => {
    const { statements } = await report('Warranty: three years with exchange on the next working day.', [
      { source: 'Spec table Onda 40', text: 'Warranty | 3 years, exchange next working day' },
      { source: 'Spec table Kestrel L2', text: 'Warranty | 2 years, exchange next working day' },
    ]);
    expect(statements[0]?.why).not.toContain('contradict each other');
  });

  it('are seen where a figure stands in another wording', async () => {
    const { verdict } = await report('The batch has a moisture of 4.2 %, within the limit of 5.0 %.', [
      { source: 'Lab sheet', text: 'Moisture was 4.2 %, the limit is 5.0 %.' },
      { source: 'Delivery certificate', text: 'Moisture of the batch: 5.2 %.' },
    ]);
    expect(verdict).toBe('escalate');
  });

  it('are no dispute where the work follows the newer one', async () => {
    const old = {
      source: 'Handbook',
      text: 'The office closes at 16:00 on Fridays.',
      observed_at: '2024-03-01T00:00:00Z',
    };
    const now = {
      source: 'Circular',
      text: 'The office closes at 15:00 on Fridays.',
      observed_at: '2025-11-01T00:00:00Z',
    };
    expect((await report('The office closes at 15:00 on Fridays.', [old, now])).verdict).toBe('supported');
    const followsOld = await report('The office closes at 16:00 on Fridays.', [old, now]);
    expect(followsOld.verdict).toBe('escalate');
    expect(followsOld.statements[0]?.why).toContain('Circular is the newer of the two');
  });

  it.each([
    [
      'an order beside what came',
      'The warehouse took in 46 drums with 1,150 kg.',
      'Warehouse note',
      '46 drums were taken in, with 1,150 kg in all.',
      'Order',
      'The order is for 48 drums with 1,200 kg.',
    ],
    [
      'another day',
      'The library opens at 9:00 on Mondays.',
      'Leaflet',
      'The library opens at 9:00 on Mondays.',
      'Poster',
      'The library opens at 10:00 on Saturdays.',
    ],
    [
      'another name',
      'The north shop sold 120 lamps.',
      'Till, north',
      'The north shop sold 120 lamps.',
      'Till, south',
      'The south shop sold 95 lamps.',
    ],
    [
      'an end beside a beginning',
      'The road is closed from 3 May 2026.',
      'Notice',
      'The road is closed from 3 May 2026.',
      'Flyer',
      'The road is closed until 9 May 2026.',
    ],
  ])('are not seen in %s', async (_, work, one, text, other, beside) => {
    const { verdict } = await report(work, [
      { source: one, text },
      { source: other, text: beside },
    ]);
    expect(verdict).not.toBe('revise');
  });
});

describe('a wrong value in the place of the right one', () => {
  const _minutes =
    'It approved the purchase of two vans for 58,000 EUR. The lease of the depot was rejected. Marta Quinn was elected chair. ' +
    'The next meeting is on 9 April 2026. The contract will be signed by Priya Nair, Finance. Lunch is not part of the offer.';

  it.each([
    'The coordinator left in June, and the post was vacant until July.',
    'Heavy rain in March and June delayed work by six weeks.',
    'The tablet is taken before a meal, with a glass of water.',
  ])('is never borne out: %s', async (work) => {
    const { statements } = await report(work, [
      {
        source: 'Report',
        text: 'The coordinator left in May; the post was vacant until July. Heavy rain in March and April delayed work by six weeks. The fair was held in June. The tablet is taken after a meal, with a glass of water.',
      },
    ]);
    expect(statements[0]?.status).not.toBe('supported');
  });
});

describe('the field of a record', () => {
  const lines = [81, 82, 83, 84].map(
    (one, at) => `Invoice INV-${one} of ${at + 3} January 2026: ${['120.00', '192.90', '80.50', '61.00'][at]} EUR`,
  );
  const statement = { source: 'Statement of account', text: lines.join('\n') };
  const invoices = (second: number) => [
    { number: 'INV-81', date: '2026-01-03', total: 120 },
    { number: 'INV-82', date: '2026-01-04', total: second },
    { number: 'INV-83', date: '2026-01-05', total: 80.5 },
  ];

  it('is held against the line that names its record', async () => {
    const { statements } = await report({ invoices: invoices(129.9) }, [statement]);
    const total = statements.find(({ path }) => path === '/invoices/1/total');
    expect(total).toMatchObject({ status: 'contradicted', compared: { known: expect.stringContaining('192.90') } });
  });

  it('that a source lists and the work leaves out is named', async () => {
    const answer = await answerTo('Every invoice of the statement is listed', { invoices: invoices(192.9) }, statement);
    expect(answer).toMatch(/^not_assessable: .*“INV-84”/);
  });

  it('is named with every other one that is asked for', async () => {
    const answer = await answerTo('Each record has number, date and total', { invoices: invoices(192.9) }, statement);
    expect(answer).toBe('met: “invoices” lists 3 records; each holds one value under “number”, “date”, “total”.');
  });
});

describe('what a report says is open', () => {
  const leaflet = { source: 'Leaflet', text: 'The library opens at 9:00 on Mondays. Entry is free for children.' };

  it('is no lack of evidence where every statement is borne out', async () => {
    const { verdict, summary, recommended_action, assessed_work_use } = await report(
      leaflet.text,
      [leaflet],
      ['The layout suits a poster'],
    );
    expect(verdict).toBe('insufficient_evidence');
    expect(summary).toContain('All 2 statements that can be checked are borne out by the evidence.');
    expect(summary).toContain('evidence is not what is missing');
    expect(recommended_action).toBe('Have a person judge the findings that are partly met or not assessable.');
    expect(assessed_work_use).toMatchObject({ recommendation: 'decide_by_a_person', human_approval_required: true });
  });

  it('is evidence where a statement was not found', async () => {
    const { summary, recommended_action } = await report('The library sells stamps. Entry is free for children.', [
      leaflet,
    ]);
    expect(summary).toContain('Of 2 statements that can be checked, 1 could not be settled with this evidence.');
    expect(recommended_action).toContain('Add evidence for the statements not found');
  });
});

describe('a criterion asked in plain words', () => {
  const offer =
    'The hall costs 2,150.00 GBP a day; you asked for three days. The booking can be cancelled free of charge until 60 days before arrival.';
  const work =
    'Three days at 2,150.00 GBP come to 6,450.00 GBP. We can cancel free of charge until 60 days before arrival.';

  it.each([
    ['States the total price of the venue', '6,450.00 GBP'],
    ['States until when the booking can be cancelled free of charge', '60 days before arrival'],
  ])('is answered by the statement that says it: %s', async (criterion, words) => {
    const answer = await answerTo(criterion, work, offer);
    expect(answer).toMatch(/^(?:met|partly_met): /);
    expect(answer).toContain(words);
  });

  it.each([
    ['Recommends one of the two laptops', 'Buy the Tarn 14. It weighs 1.3 kg.'],
    ['Lists its sources', 'The bridge is open.\n\nSources: council notice; police order 12/25.'],
    ['Names the gap that is still open', 'We are still looking for one driver on Sunday.'],
    ['Gives the closing date with the time', 'The deadline for bids is 22 May 2026 at noon.'],
    ['Tells the customer how to prevent it next time', 'You can block these numbers free of charge in the app.'],
    ['Every amount carries its currency', 'Roaming cost 14.90 euros and calls 5.00 euros.'],
    [
      'The difference is fully explained by the items listed',
      'Roaming cost 14.90 euros and calls cost 5.00 euros, so the items explain the difference.',
    ],
  ])('is met: %s', async (criterion, text) => {
    expect(await answerTo(criterion, text, text)).toMatch(/^met: /);
  });

  it('says in one sentence what a person should look at when rules cannot tell', async () => {
    const answer = await answerTo('The layout suits a poster', work, offer);
    expect(answer).toMatch(
      /^not_assessable: No statement of the work holds [^.]*; a person should look whether it says so otherwise\. Not borne out so far: “/,
    );
  });
});

it('lines that differ in their figures are each proven by themselves, and are no dispute', async () => {
  const text = Array.from({ length: 40 }, (_, at) => `Crate ${at} holds ${((at * 7) % 31) + 3} valves.`).join('\n');
  const { statements } = await checkWork(
    { work_product: text, evidence: [{ source: 'List', text }] },
    { assessor: embeddedAssessor, now: new Date('2026-05-13T08:00:00Z') },
  );
  expect(statements.map(({ status }) => status)).toEqual(Array(40).fill('supported'));
});

it('a figure behind a word that opens a sentence is still in dispute', async () => {
  const sources = [120, 130].map((people, at) => ({
    source: `Log ${at}`,
    text: `Attendance ${people} people on Sunday evening.`,
  }));
  expect((await report('Attendance 120 people on Sunday evening.', sources)).verdict).toBe('escalate');
});
