import { describe, expect, it } from 'vitest';
import { checkAsRead as checkWork } from './as-read-trial.ts';
import { embeddedAssessor } from './assessors/embedded.ts';
import type { CheckRequest, Report } from './contract.ts';

async function checked(
  work_product: CheckRequest['work_product'],
  text: string,
  criterion = 'All figures match the evidence',
): Promise<Report> {
  const request = { work_product, evidence: [{ source: 'Source A', text }], criteria: [criterion] };
  return checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
}

const statuses = async (...given: Parameters<typeof checked>): Promise<string[]> =>
  (await checked(...given)).statements.map(({ status }) => status);

describe('correct work is not accused', () => {
  it('of the cost of a year beside the fee of a month', async () => {
    const offers = 'Marlow Green: standing charge 11.00 EUR/month, energy 29.2 ct/kWh, guarantee 12 months.';
    const found = await statuses(
      'Marlow Green costs 1,066.40 EUR a year for your 3,200 kWh, guarantee 12 months.',
      offers,
    );
    expect(found).not.toContain('contradicted');
  });

  it('of a difference or a rest beside the figure that it is a part of', async () => {
    const policy = 'Full-time staff have 26 days of annual leave per calendar year. Quell Flex: 12.50 EUR/month.';
    const work = 'You have 9.5 days of annual leave left for this calendar year. Quell Flex would be 7.60 EUR cheaper.';
    expect(await statuses(work, policy)).not.toContain('contradicted');
  });

  it('of what is worth something more, or too much, beside a sum of something else', async () => {
    const bills = 'Old ration: NZD 6.10 per cow and day. Total due USD 2,070.00, payable within 30 days.';
    const work = 'The extra milk is worth NZD 0.93 per cow and day. The total is USD 180 too high.';
    expect(await statuses(work, bills)).not.toContain('contradicted');
  });

  it('of a field beside another value in the sentence that gives it too', async () => {
    const terms = 'Storage 250 GB. Included: 40 seats, 500,000 calls, 250 GB storage. Each further seat is 12.00.';
    const work = { items: [{ metric: 'calls', included: 500000 }] };
    expect(await statuses(work, terms)).not.toContain('contradicted');
  });

  it('of a part or the mean of the rows that bear its name', async () => {
    const csv = 'crop,month,crates\nTomatoes,May,148\nTomatoes,June,152\nTomatoes,July,90\nCorn,July,75';
    const table = (crates: string): string => `| Crop | Crates |\n|---|---|\n| Tomatoes | ${crates} |`;
    for (const crates of ['300', '242', '130'])
      expect(await statuses(table(crates), csv)).not.toContain('contradicted');
    expect(await statuses(table('390'), csv)).toEqual(['supported']);
    const [found] = (await checked(table('391'), csv)).statements;
    expect(found).toMatchObject({ status: 'contradicted', why: expect.stringContaining('390 as the sum of 3 rows') });
  });

  it('of a table that the rows of an older state differ from nearly everywhere', async () => {
    const table = (rows: readonly string[]): string =>
      ['| Team | Played | Won | Points |', '|---|---|---|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
    const old = table(['Corran | 4 | 3 | 7', 'Aske | 4 | 2 | 5', 'Brook | 4 | 1 | 2']);
    const now = table(['Corran | 5 | 4 | 9', 'Aske | 5 | 3 | 7', 'Brook | 5 | 1 | 2']);
    const oneWrong = table(['Corran | 4 | 3 | 7', 'Aske | 4 | 3 | 5', 'Brook | 4 | 1 | 2']);
    expect((await checked(now, old)).verdict).not.toBe('revise');
    expect((await checked(oneWrong, old)).verdict).not.toBe('supported');
  });

  it('of a total for a word of its name that stands before another figure', async () => {
    const page = 'Tallyhour, standard plan: 11.00 USD per user and month, billed yearly; 13.00 if billed monthly.';
    const work = {
      tools: [
        { tool: 'Tallyhour', yearly_total: 3168 },
        { tool: 'Clockwell', yearly_total: 2736 },
      ],
    };
    expect(await statuses(work, page)).not.toContain('contradicted');
  });

  it('of a total over counts that could be years', async () => {
    const csv = 'region,units,returns,net\nNorth,1950,20,1930\nSouth,2400,30,2370\nWest,2300,10,2290';
    const table = (total: number): string =>
      `| Region | Units | Returns | Net |\n|---|---|---|---|\n| North | 1950 | 20 | 1930 |\n| South | 2400 | 30 | 2370 |
| West | 2300 | 10 | 2290 |\n| Total | ${total} | 60 | 6590 |`;
    expect((await checked(table(6650), csv)).verdict).toBe('supported');
    expect((await checked(table(6560), csv)).verdict).toBe('revise');
    const rows = [
      { region: 'North', units: 1950 },
      { region: 'South', units: 2400 },
      { region: 'West', units: 2300 },
    ];
    expect((await checked({ rows, total_units: 6650 }, csv)).verdict).toBe('supported');
  });

  it('of a figure beside one that another clause of the passage gives', async () => {
    const terms = 'Tank 80 litres, handed out full; missing fuel is charged at 1.85 per litre plus a fee of 15.00.';
    expect(await statuses({ what: 'Missing fuel, 20 litres at 1.85', amount: 37 }, terms)).not.toContain(
      'contradicted',
    );
  });

  it('of what some did beside others that are counted apart', async () => {
    const report =
      'Settled by August: 19 (lined 14, bare 5). Three boxes (one lined, two bare) were lost in the storm and count as not settled.';
    const work = 'By August, 19 boxes had been settled: 14 of the lined boxes and 5 of the bare ones.';
    expect(await statuses(work, report)).not.toContain('contradicted');
  });

  it('of a denial beside a rule that holds on a condition, or beside a row of a table', async () => {
    const charter =
      '6.1 Taxi costs up to 80.00 are reimbursed if, because of the delay, the last public connection has been missed.';
    expect(await statuses('We cannot reimburse the taxi costs (41.00).', charter)).not.toContain('contradicted');
    const menu = 'day | dish | sesame\nTue A | Falafel plate with dip | x (dip)\nTue B | Pea soup | ';
    expect(await statuses('Tuesday: not the falafel plate with its dip.', menu)).not.toContain('contradicted');
  });

  it('of a count where a cell says in words what was added up', async () => {
    const sheet = 'item,quantity\nEducator,80\nBoats,12\nBus,5';
    const work =
      '| Line | Calculation |\n|---|---|\n| Direct costs | sum of the four lines above |\n| Total | all of it |';
    expect(await statuses(work, sheet)).not.toContain('contradicted');
  });
});

describe('wrong work is not borne out', () => {
  it('when it quotes words that nobody said', async () => {
    const transcript = 'Crane: We may open in the spring if the heating arrives. Do not hold me to it.';
    const [right, wrong] = [
      'We may open in the spring if the heating arrives.',
      'We will open in the spring when the heating arrives.',
    ].map((words) => checked(`Crane is careful: "${words}"`, transcript, 'Quotations are verbatim'));
    expect((await right)?.findings[0]?.status).toBe('met');
    expect((await wrong)?.findings[0]?.status).toBe('contradicted');
    expect((await wrong)?.statements[0]?.status).not.toBe('supported');
  });

  it('when it gives a record what a table assigns to another', async () => {
    const table = '| Subject | Teacher |\n|---|---|\n| Maths | Ms Varga |\n| Biology | Mr Quist |';
    const lessons = (teacher: string) => ({
      lessons: [
        { day: 'Mon', subject: 'Maths', teacher },
        { day: 'Tue', subject: 'Biology', teacher: 'Mr Quist' },
      ],
    });
    expect((await checked(lessons('Ms Varga'), table)).statements[2]?.status).toBe('supported');
    expect((await checked(lessons('Mr Quist'), table)).statements[2]?.status).toBe('contradicted');
  });

  it('when it names somebody who signed a comment', async () => {
    const comments =
      '1) Long wait. Could you do something about the steps at the door? Thank you. Ivo Renn, Kiln Road 3';
    const criterion = 'Patients stay anonymous';
    const named = await checked('One person (I. Renn) asked for a step-free entrance.', comments, criterion);
    expect(named.findings[0]?.status).toBe('contradicted');
    expect((await checked('One person asked for a step-free entrance.', comments, criterion)).findings[0]?.status).toBe(
      'met',
    );
  });
});

describe('an error is not borne out', () => {
  it('where a criterion excludes something and one statement speaks of it', async () => {
    const report = await checked(
      'The trustees decided on 15 April to have its doors widened, and new furniture will follow.',
      'Minutes: the trustees resolved on 15 April to widen the doors.',
      'Nothing is announced that the trustees have not decided',
    );
    expect(report.findings[0]?.status).not.toBe('met');
  });

  it('of a skill beside a list of the skills that are wanted', async () => {
    const cv =
      'Noor Haddad. 6 years backend (Go, Python, Kafka). Languages: Dutch, English. Salary expectation: EUR 82,000.';
    const role = 'Senior backend engineer. Nice: Kafka, German. Salary band: EUR 70,000-80,000.';
    const work = 'She also knows Kafka, but not German. Her salary expectation of EUR 82,000 is above the band.';
    const found = await checked(work, `${cv}\n\n${role}`);
    expect(found.statements.map(({ status }) => status)).not.toContain('contradicted');
    expect(found.verdict).not.toBe('revise');
  });

  it('of those who did one thing beside all to whom another was done', async () => {
    const trial = '212 patients were randomised, 106 to each group. Discontinued: treatment 2, placebo 1.';
    const work = 'Effects were mild; three patients stopped because of them, two of them in the treatment group.';
    expect(await statuses(work, trial)).not.toContain('contradicted');
  });

  it('of a denial in the other half of its sentence', async () => {
    const rules = 'Refund to the card. Sale items: exchange only. Shipping is not refunded.';
    const work = 'Sale items can only be exchanged, but yours was not on sale.';
    expect(await statuses(work, rules)).not.toContain('contradicted');
  });

  it('of the last time beside a sentence that says there was none since', async () => {
    const audit = 'Findings: critical 2 (no restore test since 2024; off-site copy failing since 8 March).';
    const work = 'Both concern backups: the last restore test was in 2024, and the off-site copy fails since 8 March.';
    expect(await statuses(work, audit)).not.toContain('contradicted');
  });

  it('of a thing that was removed beside a sentence that says there is none', async () => {
    const contract = 'Liability cap EUR 500,000; no cap for data breaches.';
    const work = 'The cap on liability was removed for data breaches only; else it stays at EUR 500,000.';
    expect(await statuses(work, contract)).not.toContain('contradicted');
  });

  it('of a difference beside a price', async () => {
    const bill = 'Order: 8 chairs at EUR 48.00. Invoice: 10 chairs at EUR 48.00, EUR 480.00.';
    expect(await statuses('The invoice is too high by EUR 96.', bill)).not.toContain('contradicted');
  });
});
