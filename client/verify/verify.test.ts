import { expect, it } from 'vitest';
import vectors from '../vectors.json' with { type: 'json' };
import { links } from './links.ts';
import { patched } from './patched.ts';
import { verifyBundle } from './verify.ts';

/** The published vectors, as anybody can run them. */
it.each(Object.entries(vectors.good))('finds every link of the good purchase %s', async (_, bundle) => {
  expect(await verifyBundle(bundle, vectors.keys)).toEqual({ holds: [...links], broken: null, not_run: [] });
});

it.each(vectors.tampered)('names $broken when $name', async ({ of, broken, patch }) => {
  const bundle = patched(vectors.good[of as keyof typeof vectors.good], patch);
  const found = await verifyBundle(bundle, vectors.keys);
  expect(found.broken).toMatchObject({ link: broken, because: expect.stringMatching(/\w/) });
  expect(found.holds).toEqual(links.slice(0, links.indexOf(found.broken?.link ?? 'bundle')));
});

it('takes the keys of the caller only', async () => {
  const { broken } = await verifyBundle(vectors.good.prose, { keys: [] });
  expect(broken).toMatchObject({ link: 'signatures' });
});

it('knows at least twelve kinds of tampering, and one for every link', () => {
  expect(new Set(vectors.tampered.map(({ name }) => name)).size).toBeGreaterThanOrEqual(12);
  expect([...new Set(vectors.tampered.map(({ broken }) => broken))].toSorted()).toEqual([...links].toSorted());
});
