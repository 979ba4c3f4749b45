import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { bounds, CheckRequest } from './contract.ts';
import { exampleRequest } from './sample.ts';
import { checkWorkInThread } from './thread.ts';

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

describe('checkWorkInThread', () => {
  it('delivers the report that checkWork delivers, with progress', async () => {
    const seen: number[] = [];
    const report = await checkWorkInThread(exampleRequest, { now, onProgress: (_, percent) => seen.push(percent) });
    expect(report).toEqual(await checkWork(exampleRequest, { assessor: embeddedAssessor, now }));
    expect(seen.at(-1)).toBe(100);
  });

  it('passes a failure of the check on with its code', async () => {
    const request = { ...exampleRequest, context: { refs: ['doc_1'] } };
    await expect(checkWorkInThread(request, { now })).rejects.toMatchObject({ code: 'source_unavailable' });
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
    const report = await checkWorkInThread(request, { now });
    clearInterval(timer);
    expect(report.findings).toHaveLength(bounds.criteria + 1);
    expect(turns).toBeGreaterThan(3);
  });

  it('ends at once when it is told to', async () => {
    const controller = new AbortController();
    const running = checkWorkInThread(
      { ...exampleRequest, work_product: prose(60_000, 2) },
      { now, signal: controller.signal },
    );
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);
  });
});
