import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.ts';

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** No sandbox, because tests run as root in containers; nothing that talks to a network. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Chromium {
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/**
 * A Chromium for browser tests: `CHROMIUM_PATH`, the system's, or the one that npm ships (`@sparticuz/chromium`, x64
 * Linux), unpacked once into `.data/chromium`. The result is what Playwright's `chromium.launch` takes.
 */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) throw new Refusal(`CHROMIUM_PATH names ${named}, which does not exist.`);
  const executablePath = named ?? INSTALLED.find((file) => existsSync(file));
  if (executablePath !== undefined) return { executablePath, args: ARGS, env: plainEnvironment() };
  return unpackChromium();
}

/** The package decides at import, by variables of AWS, whether to unpack the libraries it also brings. */
async function unpackChromium(): Promise<Chromium> {
  const folder = path.resolve(import.meta.dirname, '..', '.data', 'chromium');
  mkdirSync(folder, { recursive: true });
  const before = { ...process.env };
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' });
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const executablePath = await chromium.executablePath();
    const { LD_LIBRARY_PATH = '', FONTCONFIG_PATH = '' } = process.env;
    return { executablePath, args: ARGS, env: { ...plainEnvironment(), LD_LIBRARY_PATH, FONTCONFIG_PATH } };
  } finally {
    for (const name of ['TMPDIR', 'AWS_EXECUTION_ENV', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

function plainEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
