import { describe, expect, it } from 'vitest';
import { answerTo, type Given } from '../material-trial.ts';

const sources: readonly Given[] = [
  { source: 'Guide', text: 'The bridge is 312 metres long.' },
  { source: 'Chronicle', text: 'The bridge opened in 1932.' },
];

describe('citations in the work', () => {
  it.each([
    ['Each statement cites its source', 'met: Each of the 2 statements of the work names its source.'],
    [
      'All cited sources exist',
      'met: Each of the 2 places where the work names a source leads to one of the sources or to its own list of references.',
    ],
  ])('%s is met when they lead somewhere', async (criterion, expected) => {
    expect(await answerTo(criterion, 'The bridge is 312 metres long [1]. It opened in 1932 [2].', ...sources)).toBe(
      expected,
    );
  });

  it.each(['Each statement cites its source', 'All cited sources exist'])(
    '%s names a marker that leads nowhere',
    async (criterion) => {
      const answer = await answerTo(criterion, 'The bridge is 312 metres long [1]. It opened in 1932 [7].', ...sources);
      expect(answer).toMatch(/^contradicted: “\[7\]” does not lead to any of the 2 sources/);
    },
  );

  it('are missing where there are none', async () => {
    const answer = await answerTo('Each statement cites its source', 'The bridge is 312 metres long.', ...sources);
    expect(answer).toBe('not_assessable: The work holds no marker by which a source is cited.');
  });

  it('name the statement that carries none', async () => {
    const work = 'The bridge is 312 metres long [1].\n\nIt opened in 1932.';
    expect(await answerTo('Each statement cites its source', work, ...sources)).toMatch(
      /^partly_met: Of 2 statements, 1 name their source; “It opened in 1932\.”/,
    );
  });
});

describe('quotations in the work', () => {
  const speech = 'Mayor Lund: The old bridge is safe for all trains until the autumn.';
  const quoted = (words: string) => answerTo('Quotations are word for word', `Lund said: “${words}”`, speech);

  it('are met word for word', async () => {
    expect(await quoted('The old bridge is safe for all trains until the autumn.')).toMatch(/^met: The quotation /);
  });

  it('are contradicted in other words', async () => {
    expect(await quoted('The old bridge is safe for every train until the winter.')).toMatch(
      /^contradicted: .* stands nowhere in the evidence in these words\.$/,
    );
  });

  it('are left to a person where there are none', async () => {
    expect(await answerTo('Quotations are word for word', 'The bridge is safe.', speech)).toBe(
      'not_assessable: The work quotes nobody.',
    );
  });

  it('lead by number only to sources that bear it, where sources are numbered', async () => {
    const numbered: readonly Given[] = [
      { source: '[1] Recovery codes', text: 'Each recovery code can be used once.' },
      { source: '[2] Resetting', text: 'The identity check usually takes two working days.' },
      { source: 'Question', text: 'My phone fell into a lake. How do I get in?' },
    ];
    const criterion = 'Every statement carries the number of an article that supports it';
    const answer = (number: number) =>
      answerTo(
        criterion,
        `The identity check usually takes two working days [${number}]. Each recovery code can be used once [1].`,
        ...numbered,
      );
    expect(await answer(2)).toMatch(/^met/);
    expect(await answer(3)).toMatch(/^contradicted: “\[3\]” does not lead to any/);
    expect(await answer(1)).toMatch(
      /^not_assessable: “The identity check .* cites \[1\], which leads to \[1\] Recovery codes; it stands in \[2\] Resetting/,
    );
  });
});
