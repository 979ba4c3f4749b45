import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from './assessors/embedded.ts';
import { checkWork } from './check.ts';
import { bounds, CheckRequest } from './contract.ts';
import { hostileRequests } from './hostile-trial.ts';
import { splitSentences } from './reading/sentences.ts';

describe('texts made to be slow', () => {
  it.each(hostileRequests)('end in a report: $name', async ({ request }) => {
    const small = request(0.05);
    expect(CheckRequest.safeParse(small).success).toBe(true);
    const report = await checkWork(small, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
    expect(report.statements.length).toBeLessThanOrEqual(bounds.statements);
  });

  it.each(['ox-', 'a', '漢', '1,', 'x.y'])('hold no sentence without an end: “%s” repeated', (part) => {
    const text = part.repeat(10_000);
    const spans = splitSentences(text);
    expect(Math.max(...spans.map(({ start, end }) => end - start))).toBeLessThanOrEqual(1_501);
    expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });
});
