import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

const notes = {
  source: 'Notes of 12 March',
  text:
    'Movement by Henrike Dahl, signed on the back plate. Bids are submitted through the portal until 4 May.\n' +
    'The office is not open on Saturdays. The device is examined within ten working days of arrival.\n' +
    'Castell moves to give the work to Kestrel; Lund seconds. Repairs are free of charge.\n' +
    'Deliveries come before the market opens at 6:30.',
};

/** What becomes of a sentence in a text of several; the others are borne out word for word. */
async function told(sentence: string, alone = false): Promise<string> {
  const others = ' Repairs are free of charge. The office is not open on Saturdays. Lund seconds the work to Kestrel.';
  const report = await checkWork(
    { work_product: alone ? sentence : `${sentence}${others}`, evidence: [notes] },
    { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') },
  );
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

describe('a sentence in other words than the evidence', () => {
  it.each([
    'Henrike Dahl built the movement and signed it on the back plate.',
    'Bids must be handed in through the portal until 4 May.',
    'Our workshop looks at the device within ten working days of its arrival.',
    'Castell moved to give the work to Kestrel, and Lund seconded.',
  ])('is borne out in a text of several: %s', async (sentence) => {
    expect(await told(sentence)).toMatch(/^(?:supported|not_found: .*without “must”)/);
  });

  it('is not taken for the same when it is checked by itself', async () => {
    expect(await told('Our workshop looks at the device within ten working days of its arrival.', true)).toMatch(
      /^not_found/,
    );
  });

  it.each([
    ['denies what is said', 'Repairs of such a device are not free of any charge here.', 'not_found'],
    ['says what is denied', 'The office on the ground floor is open on Saturdays.', '(?:not_found|contradicted)'],
    [
      'has another name',
      'Henrike Lund built the movement and signed it on the back plate.',
      '(?:not_found|contradicted)',
    ],
    [
      'has another figure',
      'Our workshop looks at the device within twenty working days of its arrival.',
      '(?:not_found|contradicted)',
    ],
    ['turns the order of two names', 'Lund moved to give the work to Kestrel, and Castell seconded.', 'not_found'],
    ['turns a word', 'Deliveries come after the market opens at 6:30.', '(?:not_found|contradicted)'],
    ['claims more', 'Each of the bids is always submitted through the portal until 4 May.', 'not_found'],
  ])('stays open where it %s', async (_, sentence, status) => {
    expect(await told(sentence)).toMatch(new RegExp(`^${status}: `));
  });

  it('says in which sense a passage tells it otherwise', async () => {
    expect(await told('Lund moved to give the work to Kestrel, and Castell seconded.')).toContain(
      'in another order; Notes of 12 March says “Castell moves to give the work to Kestrel; Lund seconds.”',
    );
    expect(await told('Bids must be submitted by e-mail or through the portal until 4 May.')).toMatch(/^not_found/);
  });
});
