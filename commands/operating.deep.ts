import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { unit } from '../e2e/support/handbook.ts';
import { resultOf } from '../e2e/support/installed.ts';

const handbook = readFileSync(path.resolve(import.meta.dirname, '../docs/operating.md'), 'utf8');

it.each(['work-check-web@.service', 'work-check-worker@.service'])(
  '%s is exposed as little as the handbook says, by the word of systemd',
  (file) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'unit-'));
    try {
      const instance = path.join(folder, file.replace('@', '@3000'));
      writeFileSync(instance, unit(file).text);
      const judged = resultOf('systemd-analyze', ['security', '--offline=yes', '--no-pager', instance]);
      const [, exposure = ''] = /exposure level for .*: ([\d.]+)/.exec(judged) ?? [];
      expect(exposure, judged).not.toBe('');
      // On its scale of 0 to 10.
      expect(Number(exposure)).toBeLessThanOrEqual(2);
      expect(handbook).toContain(`says ${exposure} of 10`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
