import { createElement, type FunctionComponent } from 'react';
import { expect, it } from 'vitest';
import { operations } from '@/server/operations.ts';
import { problems } from '@/server/problems/catalogue.ts';
import { exampleRequest } from '@/server/work-check/sample.ts';
import { Guide } from './Guide.tsx';
import { markdownOf } from './markdown.ts';

const offer = {
  contract: {
    example_request: exampleRequest,
    price: { amount_microcents: 500_000_000 },
    terms: { test_funds: 'Funds.' },
  },
  assessment: { assessor: 'rules', decides: [{ kind: 'K', decides: 'D' }], recheck: 'Again.', accuracy: 'Rarely.' },
  isTest: true,
};
const text = markdownOf(createElement(Guide as unknown as FunctionComponent<object>, offer));

it('the guide as Markdown says what the page says', () => {
  expect(text).toMatch(/^## Find the service\n\nPoint your agent at `\/\.well-known\/svc`\./);
  expect(text.match(/^## /gm)).toHaveLength(15);
  expect(text).toContain('1. **Quote**\n\n   `POST /api/agent/v1/checks`\n\n   Send the work');
  expect(text).toContain('\n- [/openapi.json](/openapi.json) every operation as OpenAPI 3.1\n');
  expect(text).toContain('\n- `supported`: ');
  expect(text).toContain('x402 **version 2**, scheme `exact`');
  expect(text).toContain('`POST /api/x402/v1/check` answers the 402 and, once paid, the job.');
  for (const { method, path, audience } of Object.values(operations)) {
    if (audience.some((who) => who === 'agent')) expect(text).toContain(`\`${method} ${path}\``);
  }
  for (const code of Object.keys(problems)) expect(text).toContain(`[${code}](/problems/${code})`);
});

it('the guide as Markdown holds a body that parses, and no HTML', () => {
  const [, json = ''] = /```\n(\{[\s\S]*?\n\})\n```/.exec(text) ?? [];
  expect(JSON.parse(json)).toMatchObject(exampleRequest);
  const outsideCode = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '');
  expect(outsideCode).not.toMatch(/<\w|undefined|\[object/);
});

it('the guide as Markdown shows each way to pay and what context takes, in a length that a model reads', () => {
  for (const method of ['wallet_credit', 'card_checkout', 'card_saved'])
    expect(text).toContain(`"method": "${method}"`);
  expect(text).toContain('{"context": {"refs": ["source_…"]}}');
  for (const name of ['checked_result', 'model_verdict', 'score', 'requires_human_review']) {
    expect(text).toContain(`\`${name}\``);
  }
  // About 7,000 tokens.
  expect(text.length).toBeLessThan(28_000);
});
