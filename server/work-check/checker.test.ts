import { afterAll, describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { openChecker } from './checker.ts';
import { bounds, CheckRequest } from './contract.ts';
import { exampleRequest } from './sample.ts';

const checker = openChecker([]);
afterAll(() => checker.close());

const now = new Date('2026-05-13T08:00:00Z');

/** Prose of about so many bytes whose sentences all differ. */
function prose(bytes: number, seed: number): string {
  const sentences: string[] = [];
  for (let at = 0, length = 0; length < bytes; at += 1) {
    const number = (seed * 7_919 + at * 104_729) % 100_003;
    const sentence = `Depot ${number % 977} shipped ${number} crates of part ${(number * 31) % 4_001} to harbour ${at % 53} on ${(at % 28) + 1} May 2026.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  return sentences.join(' ').slice(0, bytes);
}

describe('a checker', () => {
  it('delivers the report that checkWork delivers, with progress', { timeout: 60_000 }, async () => {
    const seen: number[] = [];
    const report = await checker.check(exampleRequest, { now, onProgress: (_, percent) => seen.push(percent) });
    expect(report).toEqual(await checkWork(exampleRequest, { assessor: embeddedAssessor, now }));
    expect(seen.at(-1)).toBe(100);
  });

  it('passes a failure of the check on with its code', { timeout: 60_000 }, async () => {
    const request = { ...exampleRequest, context: { refs: ['doc_1'] } };
    await expect(checker.check(request, { now })).rejects.toMatchObject({ code: 'source_unavailable' });
  });

  it('finishes the largest input without blocking its caller', { timeout: 120_000 }, async () => {
    const request: CheckRequest = {
      work_product: prose(60_000, 1),
      evidence: Array.from({ length: bounds.evidence_items }, (_, at) => ({
        source: `Log ${at}`,
        text: prose(9_800, at),
      })),
      criteria: Array.from({ length: bounds.criteria }, (_, at) => `States what harbour ${at} received`),
    };
    expect(CheckRequest.safeParse(request).success).toBe(true);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 20);
    let passed = 0;
    const report = await checker.check(request, { now, onProgress: () => (passed += 1) });
    clearInterval(timer);
    expect(report.findings).toHaveLength(bounds.criteria + 1);
    expect(turns).toBeGreaterThan(3);
    expect(passed).toBeGreaterThan(20);
  });

  it('ends at once when it is told to', { timeout: 60_000 }, async () => {
    const controller = new AbortController();
    const running = checker.check(
      { ...exampleRequest, work_product: prose(60_000, 2) },
      { now, signal: controller.signal },
    );
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);
  });

  it('carries many checks out, each with the report that is its own', { timeout: 60_000 }, async () => {
    const lengths = Array.from({ length: 20 }, (_, at) => 100 + at);
    const reports = await Promise.all(
      lengths.map((length) =>
        checker.check(
          {
            work_product: `The bridge is ${length} metres long.`,
            evidence: [{ source: 'Guide', text: 'The bridge is 110 metres long.' }],
          },
          { now },
        ),
      ),
    );
    expect(reports.map(({ verdict }) => verdict)).toEqual(
      lengths.map((length) => (length === 110 ? 'supported' : 'escalate')),
    );
  });
});
