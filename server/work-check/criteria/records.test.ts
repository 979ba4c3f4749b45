import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { answerTo } from '../material-trial.ts';

const evidence = 'Ana: yes. Ben: no.';
const answer = (...decisions: readonly JsonValue[]) =>
  answerTo(
    'Every applicant gets a decision',
    { applicants: decisions.map((decision, at) => ({ name: ['Ana', 'Ben', 'Cleo'][at] ?? '', decision })) },
    evidence,
  );

describe('each record of structured work', () => {
  it('holds what is asked of each', async () => {
    expect(await answer('yes', 'no')).toBe('met: “applicants” lists 2 records; each holds one value under “decision”.');
  });

  it.each<[string, JsonValue]>([
    ['an empty text', ''],
    ['null', null],
    ['two values', ['yes', 'no']],
  ])('is named when it holds %s', async (_, value) => {
    expect(await answer('yes', value)).toMatch(
      /^not_assessable: “applicants” lists 2 records; no single value stands under “decision” in applicants\[1\]\./,
    );
  });

  it('is not met by a value standing there, where the right one is asked for', async () => {
    const asked = 'Every applicant has the decision that the valid list gives';
    const work = (first: string) => ({
      applicants: [
        { name: 'Ana', decision: first },
        { name: 'Ben', decision: 'refused' },
      ],
    });
    const list = 'name,seat,decision\nAna,12,accepted\nBen,14,refused\nCleo,15,accepted';
    expect(await answerTo(asked, work('accepted'), list)).toMatch(/^met: /);
    expect(await answerTo(asked, work('on hold'), list)).not.toMatch(/^met/);
    expect(await answerTo(asked, work('accepted'), 'Ana was told that she may come. Ben was not.')).toMatch(
      /^not_assessable: /,
    );
  });

  it('may hold null where the evidence says so', async () => {
    const work = {
      letters: [
        { ref: 'A', reason: 'too long' },
        { ref: 'B', reason: null },
      ],
    };
    const rules = 'A reason is given for returns only, null otherwise. Letter A was too long.';
    expect(await answerTo('Each letter gets a reason', work, rules)).not.toMatch(/^missing/);
  });

  it('is asked for no field by a word of grammar, and for none that holds fields of its own', async () => {
    const tickets = [
      { id: 'T1', duplicate_of: null },
      { id: 'T2', duplicate_of: 'T1' },
    ];
    const all = 'Contains all tickets of the export, each with every field that was asked for';
    expect(await answerTo(all, { tickets }, 'T1 and T2 are one fault.')).not.toMatch(/^missing/);
    const species = ['Cod', 'Hake'].map((name) => ({ name, quota: { january: 10, swaps: 2 } }));
    const quotas = 'Each species has its January quota and the approved swaps';
    expect(await answerTo(quotas, { species }, 'Cod 10 and 2, hake 10 and 2.')).not.toMatch(/^missing/);
  });

  it('is asked of some records only, or for more than a value', async () => {
    const tickets = [
      { id: 'T1', state: 'open', next: 'Call Ana' },
      { id: 'T2', state: 'solved', next: null },
    ];
    expect(await answerTo('Each open ticket has a next step', { tickets }, 'T1 waits for Ana.')).toMatch(
      /^not_assessable/,
    );
    const actions = ['Ana', 'Ben'].map((owner, at) => ({ action: `A${at}`, owner }));
    const asked = 'Each action has the owner who is in charge of it now';
    expect(await answerTo(asked, { actions }, 'Ana took over from Ben.')).not.toMatch(/^met/);
  });

  it('holds zero and false as values', async () => {
    expect(await answer(0, false)).not.toMatch(/^missing: /);
  });

  it.each<[string, { [key: string]: JsonValue }]>([
    ['one record', { applicants: [{ name: 'Ana', decision: '' }] }],
    ['no field of that name', { applicants: [{ name: 'Ana' }, { name: 'Ben' }] }],
  ])('is not accused where there is %s', async (_, work) => {
    expect(await answerTo('Every applicant gets a decision', work, evidence)).not.toMatch(/^missing: Of the/);
  });
});
