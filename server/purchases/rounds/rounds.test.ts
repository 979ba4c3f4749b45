import { expect, it } from 'vitest';
import { throughAll } from './rounds.ts';

it('works through everything that is due, once, also where nothing can be moved on', async () => {
  const due = Array.from({ length: 130 }, (_, index) => ({ job_key: `job_${String(index).padStart(3, '0')}` }));
  const seen: string[] = [];
  await throughAll(
    async ({ after, limit }) => due.filter(({ job_key }) => job_key > after).slice(0, limit),
    async ({ job_key }) => {
      seen.push(job_key);
    },
  );
  expect(seen.toSorted()).toEqual(due.map(({ job_key }) => job_key));
});
