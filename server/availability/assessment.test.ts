import { describe, expect, it } from 'vitest';
import { decidedKinds } from '../work-check/criteria/kinds.ts';
import { accuracyText, assessment } from './assessment.ts';

const measured = {
  configuration: 'rules',
  measured_at: '2026-11-22',
  measured_on: 'nine data sets that played no part in its making',
  version: '6fc18a0',
  this_version: false,
  figures: { 'balanced accuracy %': 64.3, 'share decided %': 45.1 },
};

describe('what the service says of its own accuracy', () => {
  it('names the sets, the day, the version and every figure, and that this version is another', () => {
    expect(accuracyText(measured)).toBe(
      'Measured on 2026-11-22, in version 6fc18a0, an earlier version than the one that works here, on nine data sets ' +
        'that played no part in its making: balanced accuracy 64.3%, share decided 45.1%. ' +
        'What has changed since has not been measured on them yet.',
    );
  });

  it('does not say of another version what was measured of one', () => {
    const said = accuracyText({ ...measured, version: 'another', this_version: true });
    expect(said).not.toMatch(/earlier|not been measured/);
    expect(accuracyText(null)).toBe('The accuracy of this configuration was never measured.');
  });
});

describe('the included re-check', () => {
  it('is promised as what the assessor in use can do', () => {
    expect(assessment([]).recheck).toContain('change nothing about how it reads');
    const model = { provider: 'anthropic', model: 'one', timeoutMs: 1, tokensMax: 1 } as const;
    expect(assessment([model]).recheck).toContain('the language model is given reason, detail and correction_request');
  });
});

describe('who assesses', () => {
  it('is rules, and a configured model is named beside them', () => {
    expect(assessment([]).assessor).toBe('rules, and no language model');
    const model = { provider: 'anthropic', model: 'one', timeoutMs: 1, tokensMax: 1 } as const;
    expect(assessment([model])).toMatchObject({
      assessor: 'rules, and beside them a language model (one)',
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
