import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { embeddedAssessor } from '@/server/work-check/assessors/embedded.ts';
import { checkWork } from '@/server/work-check/check.ts';
import { bounds, type CheckRequest, evidenceTexts, type Report } from '@/server/work-check/contract.ts';
import { exampleRequest, sampleReport } from '@/server/work-check/sample.ts';
import { type OnDemand, PASSAGES_SENT } from './PassagePanel.tsx';
import { isInParts, ReportView } from './ReportView.tsx';
import { VerdictSummary } from './VerdictSummary.tsx';

const textsOf = (request: CheckRequest) =>
  evidenceTexts(request).map((text, index) => ({ ref: `evidence/${index}`, text }));

const inParts = { address: '/reports/job_1/passage', whole: '/reports/job_1?whole=yes' };

const markupOf = (report: Report, request: CheckRequest, from = 1, onDemand: OnDemand | null = inParts): string =>
  renderToStaticMarkup(
    <ReportView
      report={report}
      work={request.work_product}
      evidence={textsOf(request)}
      from={from}
      onDemand={onDemand}
    />,
  );

/** Each fold without what it hides. */
const unfolded = (markup: string): string =>
  markup.replaceAll(/<details.*?<summary[^>]*>(.*?)<\/summary>.*?<\/details>/gs, '$1');

const wordsOf = (markup: string): string => markup.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('a report on a page', () => {
  it('opens with what does not agree, as pairs with their source', async () => {
    const words = wordsOf(markupOf(await sampleReport(), exampleRequest));
    const at = ['14,490 EUR →', '9 June 2026 →', 'Findings Contradicted'].map((said) => words.indexOf(said));
    expect(words).toMatch(/9 June 2026 → in the work, but 11 June 2026 Citation \[\d\] Carrier booking NL-77120/);
    expect(words).toMatch(/14,490 EUR → in the work, but 360 × 41.50 EUR = 14,940/);
    expect(at[0]).toBeGreaterThan(0);
    expect(at[1]).toBeGreaterThan(at[0] ?? 0);
    expect(words.indexOf('9 June 2026 →')).toBeLessThan(words.indexOf('States the quantity and the unit price'));
  });

  it.each([
    ['revise', ['contradicted', 'undecided'], 'contradicted statements lowered it.'],
    ['escalate', ['undecided', 'not_found'], 'undecided statements lowered it.'],
    ['escalate', ['supported'], 'text that tries to instruct the assessor lowered it.'],
    ['insufficient_evidence', ['not_found'], 'statements that the evidence does not bear out lowered it.'],
    ['insufficient_evidence', ['supported'], 'parts of the work that were not read lowered it.'],
  ] as const)('says what lowered a verdict to %s, by statements that are %j', async (verdict, statuses, said) => {
    const report = await sampleReport();
    const statements = report.statements.map((each, index) => ({
      ...each,
      status: statuses[index % statuses.length] ?? each.status,
    }));
    const words = wordsOf(
      renderToStaticMarkup(<VerdictSummary report={{ ...report, verdict, model_verdict: 'supported', statements }} />),
    );
    expect(words).toContain(`The findings alone would give “Supported”; ${said}`);
  });

  it('tells each of them once; what repeats them is folded', async () => {
    const words = wordsOf(unfolded(markupOf(await sampleReport(), exampleRequest)));
    expect(words).toContain('3 statements in full: 3 told above');
    expect(words.split('360 × 41.50 EUR = 14,940')).toHaveLength(2);
    expect(words.split('against “11 June 2026”')).toHaveLength(1);
  });

  it('names findings with a problem before those that are met', async () => {
    const words = wordsOf(markupOf(await sampleReport(), exampleRequest));
    expect(words.indexOf('At most 80 words')).toBeGreaterThan(words.indexOf('The tone suits the warehouse team'));
    expect(words.indexOf('States when the goods')).toBeGreaterThan(words.indexOf('Amounts are worked out correctly'));
  });
});

/** Each passage of a page. */
const passagesIn = (markup: string): string[] =>
  [...markup.matchAll(/<article id="passage-.*?<\/article>/gs)].map(([passage]) => passage);

describe('a report on long work', () => {
  let report: Report;
  const lines = Array.from({ length: bounds.statements }, (_, index) => `Crate ${index} holds ${index + 7} valves.`);
  const request: CheckRequest = {
    work_product: lines.join('\n'),
    evidence: Array.from({ length: 10 }, (_, part) => ({
      source: `List ${part}`,
      text: lines
        .slice(part * 50, part * 50 + 50)
        .map((line, index) => (index % 9 ? line : line.replace('valves', 'bolts')))
        .join('\n'),
    })),
    criteria: ['Names the crates'],
  };
  beforeAll(async () => {
    report = await checkWork(request, { assessor: embeddedAssessor, now: new Date(), serviceKey: 'svc' });
  }, 60_000);
  const notesIn = (markup: string) => [...markup.matchAll(/id="statement-(\d+)"/g)].map(([, number]) => Number(number));

  it('shows 50 statements a page, and every one on exactly one page', () => {
    expect(report.statements.length).toBeGreaterThan(400);
    const all: number[] = [];
    for (let from = 1; from <= report.statements.length; from += 50) {
      const markup = markupOf(report, request, from);
      // All statements and passages on one page were 3.4 MB.
      expect(markup.length).toBeLessThan(600_000);
      const here = notesIn(markup);
      expect(here.length).toBeLessThanOrEqual(50);
      all.push(...here);
    }
    expect(all.sort((a, b) => a - b)).toEqual(report.statements.map((_, index) => index + 1));
  });

  it('reads each text once, however many statements and passages quote it', () => {
    const compared = { claimed: 'Crate', known: 'Crate' };
    const statements = report.statements.map((one) => ({ ...one, status: 'contradicted' as const, compared }));
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    markupOf({ ...report, statements }, request);
    const encoded = encode.mock.calls.map(([text = '']) => text);
    encode.mockRestore();
    const texts = [request.work_product, ...textsOf(request).map(({ text }) => text)];
    // What does not agree reads the work and the evidence, and the passages read the evidence.
    expect(encoded).toContain(request.work_product);
    for (const text of texts) expect(encoded.filter((one) => one === text).length).toBeLessThanOrEqual(2);
  });

  it('leads to statements on other pages, and only to passages that are there', () => {
    const markup = markupOf(report, request, 60);
    expect(Math.min(...notesIn(markup))).toBe(51);
    expect(markup).toContain('href="?statements=1#work"');
    const passages = new Set([...markup.matchAll(/id="passage-(\d+)"/g)].map(([, number]) => number));
    for (const [, number] of markup.matchAll(/href="#passage-(\d+)"/g)) expect(passages).toContain(number);
    const notes = new Set(notesIn(markup));
    for (const [, number] of markup.matchAll(/href="#statement-(\d+)"/g)) expect(notes).toContain(Number(number));
  });

  it('sends the text of few passages, and where each other one is read by its digest', async () => {
    const markup = markupOf(report, request, 201);
    const passages = passagesIn(markup);
    expect(passages.length).toBeGreaterThan(PASSAGES_SENT);
    expect(passages.map((passage) => passage.includes('This page leaves the text of this passage out'))).toEqual(
      passages.map((_, index) => index >= PASSAGES_SENT),
    );
    for (const passage of passages.slice(PASSAGES_SENT)) expect(passage).not.toContain('<mark');
    expect(markup).toContain(`href="${inParts.whole}#passage-`);
    expect([isInParts(report), isInParts(await sampleReport())]).toEqual([true, false]);
  });

  it('is whole on one page for paper: every statement, with the text of every passage', () => {
    const markup = markupOf(report, request, 60, null);
    expect(notesIn(markup)).toHaveLength(report.statements.length);
    expect(passagesIn(markup).length).toBeGreaterThan(400);
    for (const passage of passagesIn(markup)) expect(passage).toContain('<mark');
    expect(markup).not.toContain('?statements=');
  });

  it('shows the first page where the address names no statement', () => {
    for (const from of [0, -1, 501_000, Number.NaN, 1.5])
      expect(Math.min(...notesIn(markupOf(report, request, from)))).toBe(1);
  });
});
