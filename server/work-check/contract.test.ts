import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX, JSON_NODES_MAX, type JsonValue } from '../kernel/json-value.ts';
import {
  assessedEntries,
  bounds,
  CheckRequest,
  evidenceManifest,
  inputDigest,
  plannedChecks,
  unsupportedWorkKinds,
} from './contract.ts';

const minimal = {
  work_product: 'The bridge opened in 1932.',
  evidence: [{ source: 'Guide', text: 'It opened in 1932.' }],
};

function issuesOf(change: object): { path: string; code: string; limit?: number; actual?: number }[] {
  const parsed = CheckRequest.safeParse({ ...minimal, ...change });
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    code: issue.code === 'custom' ? issue.params?.code : issue.code,
    ...(issue.code === 'custom' && issue.params?.limit !== undefined
      ? { limit: issue.params.limit, actual: issue.params.actual }
      : {}),
  }));
}

const nested = (depth: number): JsonValue => {
  let value: JsonValue = 'end';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

describe('the check request', () => {
  it('takes the smallest request and every optional field', () => {
    expect(issuesOf({})).toEqual([]);
    expect(
      issuesOf({
        request: { ask: 'When did it open?' },
        criteria: ['Names the year', { criterion: 'Names the city' }],
        rubric: { accuracy: 'All years are right' },
        work_kind: 'answer',
        kind: 'audit',
        context: { refs: ['doc_1'] },
        correction_request: { look_at: 'the year' },
        downstream_policy: { human_approval_required: true },
        expected_schema: { type: 'string' },
        max_evidence_age_seconds: 1,
        producer: { agent_key: 'agent_1', name: 'writer' },
        evidence: ['Opened in 1932.', { source: 'Guide', text: 'x', observed_at: '2026-01-01T00:00:00Z' }],
      }),
    ).toEqual([]);
  });

  it.each([
    ['work_product', (n: number) => ({ work_product: 'a'.repeat(n) }), bounds.work_product_bytes],
    ['request', (n: number) => ({ request: 'a'.repeat(n) }), bounds.request_bytes],
    ['criteria.0', (n: number) => ({ criteria: ['a'.repeat(n)] }), bounds.criterion_bytes],
    ['evidence.0', (n: number) => ({ evidence: ['a'.repeat(n)] }), bounds.evidence_item_bytes],
    [
      'evidence.0.text',
      (n: number) => ({ evidence: [{ source: 's', text: 'a'.repeat(n) }] }),
      bounds.evidence_item_bytes,
    ],
    ['evidence.0.source', (n: number) => ({ evidence: [{ source: 'a'.repeat(n), text: 't' }] }), bounds.source_bytes],
    ['expected_schema', (n: number) => ({ expected_schema: { a: 'a'.repeat(n - 8) } }), bounds.expected_schema_bytes],
  ])('takes %s at its bound in bytes and refuses one byte more, naming limit and actual', (path, change, limit) => {
    expect(issuesOf(change(limit))).toEqual([]);
    expect(issuesOf(change(limit + 1))).toEqual([{ path, code: 'too_large', limit, actual: limit + 1 }]);
  });

  it('counts UTF-8 bytes and RFC 8785 bytes, not characters', () => {
    expect(issuesOf({ criteria: ['é'.repeat(512)] })).toEqual([]);
    expect(issuesOf({ criteria: ['é'.repeat(513)] })[0]).toMatchObject({ code: 'too_large', actual: 1026 });
    expect(issuesOf({ criteria: [{ criterion: 'é'.repeat(504) }] })[0]).toBeUndefined();
    expect(issuesOf({ criteria: [{ criterion: 'é'.repeat(505) }] })[0]).toMatchObject({
      code: 'too_large',
      actual: 1026,
    });
  });

  it('takes 20 evidence items, 20 criteria and 10 refs, and refuses one more of each', () => {
    const items = (n: number): string[] => Array.from({ length: n }, (_, index) => `item ${index}`);
    expect(issuesOf({ evidence: items(20), criteria: items(20), context: { refs: items(10) } })).toEqual([]);
    expect(issuesOf({ evidence: items(21) })[0]).toMatchObject({ path: 'evidence', code: 'too_big' });
    expect(issuesOf({ evidence: [] })[0]).toMatchObject({ path: 'evidence', code: 'too_small' });
    expect(issuesOf({ criteria: items(21) })[0]).toMatchObject({ path: 'criteria', code: 'too_big' });
    expect(issuesOf({ context: { refs: items(11) } })[0]).toMatchObject({ path: 'context.refs', code: 'too_big' });
  });

  it('refuses a total above 262,144 bytes although each part is within its own bound', () => {
    const evidence = Array.from({ length: 6 }, () => 'a'.repeat(bounds.evidence_item_bytes));
    const [issue] = issuesOf({ evidence, work_product: 'a'.repeat(bounds.work_product_bytes) });
    expect(issue).toMatchObject({ path: '', code: 'too_large', limit: bounds.total_input_bytes });
    expect(issuesOf({ evidence, work_product: 'a'.repeat(65_000) })).toEqual([]);
  });

  it('refuses more criteria and rubric entries together than findings fit', () => {
    const items = (n: number): string[] => Array.from({ length: n }, (_, index) => `item ${index}`);
    expect(issuesOf({ criteria: items(20), rubric: items(17) })).toEqual([]);
    expect(issuesOf({ criteria: items(20), rubric: items(18) })).toEqual([
      { path: 'rubric', code: 'too_many', limit: 37, actual: 38 },
    ]);
  });

  it('tells an unsupported work kind from any other wrong field', () => {
    for (const work_kind of [...unsupportedWorkKinds, 'poem'])
      expect(issuesOf({ work_kind })).toEqual([{ path: 'work_kind', code: 'unsupported_work_kind' }]);
    expect(issuesOf({ work_kind: 7 })[0]?.code).toBe('invalid_type');
  });

  it('refuses unknown fields at every level by name', () => {
    expect(issuesOf({ extra: 1 })[0]).toMatchObject({ code: 'unrecognized_keys' });
    expect(issuesOf({ context: { ref: [] } })[0]).toMatchObject({ path: 'context', code: 'unrecognized_keys' });
    expect(issuesOf({ evidence: [{ source: 's', text: 't', url: 'x' }] })).not.toEqual([]);
  });

  it('refuses what no later step could hold exactly or walk safely', () => {
    expect(issuesOf({ work_product: 'a\u0000b' })[0]?.code).toBe('forbidden_character');
    expect(issuesOf({ work_product: { a: '\ud800' } })[0]).toMatchObject({
      path: 'work_product.a',
      code: 'forbidden_character',
    });
    expect(issuesOf({ evidence: ['\udc00'] }).map(({ code }) => code)).not.toEqual([]);
    expect(issuesOf({ work_product: JSON.parse('{"__proto__": {"a": 1}}') })[0]?.code).toBe('forbidden_key');
    expect(issuesOf({ work_product: { n: 2 ** 53 } })[0]?.code).toBe('number_not_exact');
    expect(issuesOf({ work_product: { n: 2 ** 53 - 1 } })).toEqual([]);
    expect(issuesOf({ work_product: 5 })[0]?.code).toBe('wrong_type');
    expect(issuesOf({ work_product: '  ' })[0]?.code).toBe('blank');
  });

  it('caps depth and number of values before anything recurses', () => {
    expect(issuesOf({ work_product: nested(JSON_DEPTH_MAX) })).toEqual([]);
    expect(issuesOf({ work_product: nested(JSON_DEPTH_MAX + 1) })[0]?.code).toBe('too_deep');
    expect(issuesOf({ work_product: nested(200_000) })[0]?.code).toBe('too_deep');
    expect(issuesOf({ work_product: Array.from({ length: JSON_NODES_MAX }, () => 1) })[0]?.code).toBe(
      'too_many_values',
    );
  });
});

describe('what is derived from a request', () => {
  it('reads criteria and rubric entries of every shape', () => {
    expect(
      assessedEntries({ criteria: ['a', { description: 'b' }, { weight: 2 }], rubric: '1. c\n2. d' }).map(
        ({ label }) => label,
      ),
    ).toEqual(['a', 'b', '{"weight":2}', 'c', 'd']);
    expect(assessedEntries({ rubric: { tone: 'calm' } })).toEqual([{ label: 'tone: calm', from: 'rubric' }]);
    expect(assessedEntries({ rubric: 'one thought' })).toEqual([{ label: 'one thought', from: 'rubric' }]);
  });

  it('plans the six checks with the reason for each that is skipped', () => {
    const request = CheckRequest.parse(minimal);
    expect(plannedChecks(request).filter(({ will_run }) => !will_run)).toEqual([
      { check: 'evidence_freshness', will_run: false, skip_reason: 'no max_evidence_age_seconds' },
      { check: 'work_product_schema', will_run: false, skip_reason: 'no expected_schema' },
      { check: 'source_corroboration', will_run: false, skip_reason: 'no governed context refs were supplied' },
    ]);
    const full = CheckRequest.parse({
      ...minimal,
      max_evidence_age_seconds: 5,
      expected_schema: {},
      context: { refs: ['a'] },
    });
    expect(plannedChecks(full).every(({ will_run }) => will_run)).toBe(true);
  });

  it('names evidence by position and digest of its text', () => {
    expect(
      evidenceManifest({ evidence: ['abc', { source: 'Guide', text: '', observed_at: '2026-01-01T00:00:00Z' }] }),
    ).toEqual([
      {
        ref: 'evidence/0',
        source: 'evidence/0',
        digest: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        bytes: 3,
        observed_at: null,
      },
      {
        ref: 'evidence/1',
        source: 'Guide',
        digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        bytes: 0,
        observed_at: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it('gives one input digest to one request, whatever the order of its keys and the fields of the purchase', () => {
    const request = CheckRequest.parse({ ...minimal, criteria: ['a'] });
    const turned = { criteria: request.criteria, evidence: request.evidence, work_product: request.work_product };
    expect(inputDigest(turned)).toBe(inputDigest(request));
    expect(inputDigest({ ...request, max_price_microcents: 1, idempotency_key: 'k' } as CheckRequest)).toBe(
      inputDigest(request),
    );
    expect(inputDigest({ ...request, evidence: ['other'] })).not.toBe(inputDigest(request));
  });
});
