import { describe, expect, it } from 'vitest';
import { decidedText, measuredText } from './measured-words.ts';

describe('the share decided', () => {
  it.each([
    [0, 'None of the statements that can be checked'],
    [0.004, 'Less than 1% of the statements that can be checked'],
    [0.833333, '83% of the statements that can be checked'],
    [0.999, '99% of the statements that can be checked'],
    [1, 'All of the statements that can be checked'],
  ])('of %d is never said to be more', (share, words) => {
    expect(decidedText(share)).toBe(words);
  });
});

describe('measured accuracy', () => {
  const measured = {
    configuration: 'embedded',
    measured_at: '2026-11-22',
    measured_on: 'nine sets that played no part in making it',
    version: '6fc18a0',
    this_version: false,
    figures: { balanced_accuracy: 64.3, share_decided: 45.1 },
  };

  it('is said with its sets, its day, its version, and whether that version wrote the report', () => {
    expect(measuredText(measured)).toBe(
      'Balanced accuracy 64.3, share decided 45.1, on nine sets that played no part in making it. ' +
        'Measured on 22 Nov 2026 by version 6fc18a0; not the version that wrote this report.',
    );
    expect(measuredText({ ...measured, this_version: true, figures: {}, measured_at: '22 or 23' })).toBe(
      'On nine sets that played no part in making it. ' +
        'Measured on 22 or 23 by version 6fc18a0; the version that wrote this report.',
    );
    expect(measuredText(measured, 'that runs here')).toMatch(/by version 6fc18a0; not the version that runs here\.$/);
  });

  it('is in percent where its name says so', () => {
    expect(measuredText({ ...measured, figures: { 'share decided %': 45.1 } })).toMatch(
      /^Share decided 45\.1%, on nine/,
    );
  });

  it('is not claimed where the report holds none', () => {
    expect(measuredText(null)).toBe('The report states no measured accuracy.');
  });
});
