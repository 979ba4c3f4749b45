import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAnvil } from './anvil.ts';

describe('the search for anvil', () => {
  it('falls back to the PATH where no package is made for the machine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'path-'));
    writeFileSync(join(folder, 'anvil'), '');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(findAnvil('plan9-mips', ['', '/nowhere', folder].join(delimiter))).toBe(join(folder, 'anvil'));
  });

  it('says what to install when there is none', () => {
    expect(() => findAnvil('plan9-mips', '/nowhere')).toThrow(
      'The chains need anvil: run "npm install @foundry-rs/anvil-plan9-mips", or install Foundry so that anvil is on PATH.',
    );
  });
});
