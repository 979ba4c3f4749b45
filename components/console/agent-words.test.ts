import { expect, it } from 'vitest';
import { price } from '@/server/service/terms.ts';
import { obstaclesOf } from './agent-words.ts';

const now = new Date('2026-11-27T00:00:00.000Z');
const agent = {
  agent_key: 'agent_1',
  kind: 'agent',
  name: null,
  state: 'active' as const,
  per_job_microcents: Number(price),
  daily_microcents: Number(price),
  total_microcents: null,
  ends_at: null,
  used_today_microcents: 0,
  used_microcents: 0,
  methods: ['x402'],
  credentials: [],
};

it('an agent that can buy has no obstacle, and each that keeps it from buying is a sentence', () => {
  expect(obstaclesOf(agent, now)).toEqual([]);
  expect(
    obstaclesOf(
      {
        ...agent,
        state: 'paused',
        ends_at: now.toISOString(),
        methods: [],
        per_job_microcents: 1,
        used_today_microcents: 1,
        total_microcents: Number(price),
        used_microcents: 1,
      },
      now,
    ),
  ).toEqual([
    'It is paused.',
    'Its grant has ended.',
    'It may pay in no way.',
    'It may spend 0.00000001 a check, and one costs 5.00.',
    'Too little is left of its day.',
    'Too little is left of its total.',
  ]);
  expect(obstaclesOf({ ...agent, state: 'revoked', methods: [] }, now)).toEqual(['It is revoked.']);
});
