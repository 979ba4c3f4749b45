import { describe, expect, it } from 'vitest';
import { decidedKinds } from '../work-check/criteria/kinds.ts';
import { accuracyText, assessment } from './assessment.ts';

const measured = {
  configuration: 'rules and a small trained model',
  measured_at: '2026-11-22',
  measured_on: 'nine data sets that played no part in its making',
  version: '6fc18a0',
  this_version: false,
  figures: { 'balanced accuracy %': 64.3, 'share decided %': 45.1 },
};

describe('what the service says of its own accuracy', () => {
  it('names the sets, the day, the version and every figure, and that this version is another', () => {
    expect(accuracyText(measured)).toBe(
      'Measured 2026-11-22 on nine data sets that played no part in its making, in version 6fc18a0: ' +
        'balanced accuracy 64.3%, share decided 45.1%. On 20 realistic pairs that are held back, that version named the ' +
        'planted error in 3 and asked for a revision of all 20 correct works. ' +
        'The version that works here now has not been measured on them yet.',
    );
  });

  it('does not say of another version what was measured of one', () => {
    const said = accuracyText({ ...measured, version: 'another', this_version: true });
    expect(said).not.toMatch(/realistic|not been measured/);
    expect(accuracyText(null)).toBe('The accuracy of this configuration was never measured.');
  });
});

describe('who assesses', () => {
  it('is rules and a small trained model, and a configured model is named beside them', () => {
    expect(assessment([]).assessor).toBe('rules and a small trained model');
    const model = { provider: 'anthropic', model: 'one', timeoutMs: 1, tokensMax: 1 } as const;
    expect(assessment([model])).toMatchObject({
      assessor: 'rules and a small trained model, and beside them a language model (one)',
      measured: null,
    });
  });

  it('lists each kind of criterion once', () => {
    const names = decidedKinds.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['form', 'presence', 'agreement', 'coverage', 'citation', 'judgement']),
    );
  });
});
