import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { artifactPath, CONTRACT_NAMES, compileContract } from './compile.ts';

const COMPILE_MS_MAX = 60_000;

it.each(CONTRACT_NAMES)(
  'the committed artifact of %s is what its source compiles to',
  { timeout: COMPILE_MS_MAX },
  (name) => {
    expect(compileContract(name)).toEqual(JSON.parse(readFileSync(artifactPath(name), 'utf8')));
  },
);
