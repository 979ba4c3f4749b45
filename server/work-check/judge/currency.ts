import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import type { Judgement } from './ground.ts';

const CODE = /^[A-Z]{3}$/;
const AMOUNT = /^-?\d{1,12}(?:\.\d{1,4})?$/;

/** The currency of a record's amount, where the evidence writes that amount with a currency: "430 DKK". */
export function judgeCurrency({ record, at, place }: Statement, index: EvidenceIndex): Judgement | undefined {
  if (record === undefined || !('path' in place) || !/\bcurrency\b/i.test(record.column) || !CODE.test(record.value))
    return undefined;
  for (const amount of record.figures) {
    const found = AMOUNT.test(amount) ? beside(amount, index) : [];
    const codes = new Set(found.map(({ code }) => code));
    const [first] = found;
    if (first === undefined || codes.size !== 1) continue;
    const { source = '', ref = '' } = index.sources[first.source] ?? {};
    const passages = [{ ref, start: first.start, end: first.end }];
    const text = index.sources[first.source]?.text.slice(first.start, first.end) ?? '';
    if (first.code === record.value) return { status: 'supported', why: `${source} gives “${text}”.`, passages };
    return {
      status: 'contradicted',
      why: `The work gives “${record.value}” (${at}) for ${amount}, where ${source} gives “${text}”.`,
      passages,
      compared: { claimed: record.value, known: first.code },
    };
  }
  return undefined;
}

/** The places where the evidence writes an amount with the code of a currency before or behind it. */
function beside(
  amount: string,
  { sources }: EvidenceIndex,
): { source: number; start: number; end: number; code: string }[] {
  const [whole = '', cents = ''] = amount.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',?');
  const decimals = cents === '' ? '(?:\\.00?)?' : `\\.${cents.replace(/0+$/, '')}0*`;
  const written = new RegExp(
    `(?<![\\d.,])(?:([A-Z]{3}) ?)?${grouped}${decimals}(?![\\d]|[.,]\\d)(?: ?([A-Z]{3})(?![A-Za-z]))?`,
    'g',
  );
  return sources.flatMap(({ text }, source) =>
    [...text.matchAll(written)].flatMap(({ 0: found, 1: before, 2: behind, index }) => {
      const code = before ?? behind;
      return code === undefined ? [] : [{ source, start: index, end: index + found.length, code }];
    }),
  );
}
