import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import LongestFirst, { longest } from './longest-first.ts';

const root = path.resolve(import.meta.dirname, '..');

describe('the order of test files', () => {
  it('names files that are there', () => {
    expect(longest.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('starts the longest first within each project, whatever ran before', async () => {
    const spec = (project: string, file: string) =>
      ({
        moduleId: path.join(root, file),
        project: { name: project, config: { isolate: true, sequence: { groupOrder: 0 } } },
      }) as unknown as TestSpecification;
    const cache = { getTestSpecificationResult: () => ({ failed: false, duration: 1 }) };
    const [long = '', shorter = ''] = longest;
    const sorted = await new LongestFirst({ cache } as unknown as Vitest).sort([
      spec('e2e', 'sandbox/mail/mail.e2e.ts'),
      spec('e2e', shorter),
      spec('unit', 'server/sizes.test.ts'),
      spec('e2e', long),
    ]);
    expect(sorted.map(({ moduleId }) => path.relative(root, moduleId))).toEqual([
      long,
      shorter,
      'sandbox/mail/mail.e2e.ts',
      'server/sizes.test.ts',
    ]);
  });
});
