import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Refusal } from './refusal.ts';

/** Whether npm ships a Chromium for this machine. */
const SHIPPED = process.platform === 'linux' && process.arch === 'x64';
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** No sandbox: tests run as root in containers. No background network traffic. */
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
 * A Chromium for browser tests: `CHROMIUM_PATH`, or on x64 Linux the one from npm (`@sparticuz/chromium`), unpacked
 * once into `.data/chromium`, so that tests see the same browser everywhere; elsewhere the system's. Returns the
 * options of Playwright's `chromium.launch`.
 */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH;
  if (named && !existsSync(named)) throw new Refusal(`CHROMIUM_PATH names ${named}, which does not exist.`);
  if (!named && SHIPPED) return unpackChromium();
  const executablePath = named || INSTALLED.find((file) => existsSync(file));
  if (executablePath) return { executablePath, args: ARGS, env: plainEnvironment() };
  throw new Refusal('npm ships no Chromium for this machine: install one, or name it in CHROMIUM_PATH.');
}

/** The package reads AWS variables at import to decide whether to unpack its libraries. */
async function unpackChromium(): Promise<Chromium> {
  const folder = path.resolve(import.meta.dirname, '..', '.data', 'chromium');
  mkdirSync(folder, { recursive: true });
  const before = { ...process.env };
  Object.assign(process.env, { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' });
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const executablePath = await chromium.executablePath();
    const { LD_LIBRARY_PATH = '' } = process.env;
    return { executablePath, args: ARGS, env: { ...plainEnvironment(), LD_LIBRARY_PATH, ...fontsIn(folder) } };
  } finally {
    for (const name of ['TMPDIR', 'AWS_EXECUTION_ENV', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/**
 * The package's own configuration looks for fonts in /tmp. Without fonts Chromium crashes on the first character that a
 * page's fonts lack.
 */
function fontsIn(folder: string): { FONTCONFIG_FILE: string } {
  const file = path.join(folder, 'fonts.conf');
  const dirs = [path.join(folder, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  const cache = `<cachedir>${path.join(folder, 'fonts-cache')}</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?>\n<fontconfig>${dirs}${cache}</fontconfig>\n`);
  return { FONTCONFIG_FILE: file };
}

function plainEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
