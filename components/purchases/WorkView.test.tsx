import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { ReportedStatement } from '@/server/work-check/contract.ts';
import { WorkView } from './WorkView.tsx';

/** The page's words without tags. */
const wordsOf = (work: JsonValue, statements: ReportedStatement[]): string =>
  renderToStaticMarkup(<WorkView statements={statements} passages={[]} work={work} />)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

const total: ReportedStatement = {
  path: '/total',
  kind: 'leaf',
  status: 'contradicted',
  why: 'The lines come to another total.',
  compared: { claimed: '14,490', known: '14,940' },
  computed: '360 × 41.50 = 14,940',
};

describe('the work on a page', () => {
  it('says why, what was compared and what was computed', () => {
    const words = wordsOf({ total: 14490 }, [total]);
    expect(words).toContain('"total": 14490');
    expect(words).toContain(
      'Contradicted No passage cited The lines come to another total. The work says 14,490 Compared with 14,940 ' +
        'Computed 360 × 41.50 = 14,940',
    );
    expect(words).not.toContain('no longer kept');
    const said = wordsOf({ total: 14490 }, [{ ...total, why: `The work's own figures give ${total.computed}.` }]);
    expect(said.split('360 × 41.50')).toHaveLength(2);
  });

  it('that is deleted leaves what the report holds, and where each statement stood', () => {
    const sentence = {
      start: 1_200,
      end: 1_264,
      kind: 'sentence' as const,
      status: 'supported' as const,
      why: 'So it is.',
    };
    const words = wordsOf(null, [total, sentence]);
    expect(words).toContain('The text of the work is no longer kept');
    expect(words).toContain('Field /total of the work');
    expect(words).toContain('Computed 360 × 41.50 = 14,940');
    expect(words).toContain('No passage cited Sentence, bytes 1,200 to 1,264 of the work So it is.');
  });

  it('lists a statement whose place it does not hold, and marks nothing for it', () => {
    const words = wordsOf({ sum: 1 }, [total]);
    expect(words).toContain('{ "sum": 1 }');
    expect(words).toContain('Field /total of the work');
  });

  it('shows no judgement where the report lists none', () => {
    const words = wordsOf('Just words.', []);
    expect(words).toContain('The report lists no statement of the work. Just words.');
    expect(words).not.toMatch(/supported|contradicted|not found|All/i);
  });
});
