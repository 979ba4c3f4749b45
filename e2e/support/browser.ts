import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, vi } from 'vitest';
import { findChromium } from '../../commands/chromium.ts';
import { onFreePorts } from '../../commands/ports.ts';
import { type Stack, startStack } from '../../commands/stack.ts';
import { cloneDatabase } from '../../commands/test-database.ts';
import { testFolder } from '../../commands/test-folder.ts';
import { accessibilityFindings } from '../accessibility.ts';

/** For all test files of this process; it ends with the process. */
let launching: Promise<Browser> | undefined;

async function launched(): Promise<Browser> {
  const { executablePath, args, env } = await findChromium();
  return chromium.launch({ executablePath, args: [...args], env });
}

/** The product in production mode, on a migrated database of its own. */
async function started() {
  const dataDir = testFolder();
  const database = await cloneDatabase();
  const stack = await onFreePorts((ports) =>
    startStack({ ports, dataDir, mode: 'production', databaseUrl: database.url }),
  );
  await vi.waitFor(() => registrationsAreOpen(stack.baseUrl), patience);
  return { stack, database, dataDir };
}

/** The same for all test files of this process that share it. */
let sharing: ReturnType<typeof started> | undefined;

interface InBrowser {
  readonly stack: Stack;
  readonly browser: Browser;
  readonly dataDir: string;
}

async function inBrowser({ stack, dataDir }: Pick<InBrowser, 'stack' | 'dataDir'>): Promise<InBrowser> {
  launching ??= launched();
  const browser = await launching;
  afterAll(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  return { stack, browser, dataDir };
}

/**
 * Starts the product and a Chromium for the tests of one file, which may stop processes and turn switches. Call it at
 * the top of the file.
 */
export async function startInBrowser(): Promise<InBrowser> {
  const own = await started();
  const { stack, database, dataDir } = own;
  afterAll(async () => {
    await stack.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return inBrowser(own);
}

/**
 * The same, shared with other files: for tests that change nothing but what belongs to their own accounts. Give every
 * account an address of its own. Its processes end with this one.
 */
export async function shareInBrowser(): Promise<InBrowser> {
  sharing ??= started().then((all) => {
    process.once('exit', () => rmSync(all.dataDir, { recursive: true, force: true }));
    return all;
  });
  return inBrowser(await sharing);
}

/** On a busy machine the mail server may answer the first probe too late. Throws until it counts as up. */
async function registrationsAreOpen(baseUrl: string): Promise<void> {
  const { registration } = (await (await fetch(`${baseUrl}/.well-known/svc`)).json()) as {
    registration: { state: string };
  };
  if (registration.state !== 'open') throw new Error('Nobody can register yet.');
}

/** How long to wait for workers, letters and scripts. On a busy machine a minute was not enough once. */
export const patience = { timeout: 120_000, interval: 500 };

export const sizes = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
};
type Look = readonly [scheme: 'light' | 'dark', size: keyof typeof sizes];

/** Each size once and each scheme at least once; for pictures all combinations. */
const looks: readonly Look[] = [
  ['light', 'desktop'],
  ['dark', 'phone'],
  ['light', 'narrow'],
  ...(process.env.SCREENSHOTS
    ? ([
        ['dark', 'desktop'],
        ['light', 'phone'],
        ['dark', 'narrow'],
      ] as const)
    : []),
];

/** Saves a picture of the page in the folder `SCREENSHOTS`, if set. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

/** The long trial looks at each page in every look. In `npm test` the looks take turns, page after page. */
const isEveryLook = Boolean(process.env.EVERY_LOOK || process.env.SCREENSHOTS);
let pagesSeen = 0;
function looksOfNextPage(): readonly Look[] {
  const turn = pagesSeen % looks.length;
  pagesSeen += 1;
  return isEveryLook ? looks : looks.slice(turn, turn + 1);
}

/** Lists the accessibility faults of the page as it stands. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const sizeBefore = page.viewportSize();
  for (const [colorScheme, size] of looksOfNextPage()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(sizes[size]);
    // While a color is still changing to the other scheme, its contrast cannot be measured; some never end by themselves.
    await page.evaluate(() => {
      for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
    });
    await keepPicture(page, `${name}-${size}-${colorScheme}`);
    faults.push(...(await accessibilityFindings(page)).map((fault) => `${name} ${size} ${colorScheme}: ${fault}`));
  }
  if (sizeBefore) await page.setViewportSize(sizeBefore);
  return faults;
}

/** Pages at once: while one waits for its network, another is looked at. */
const tabs = 2;

/**
 * Opens pages, by name, signed in as `visitor`. Lists their accessibility faults, the errors in the browser's console
 * (except the 404 of a missing page), and requests to other servers.
 */
export async function faultsOfPages(visitor: BrowserContext, pages: Record<string, string>): Promise<string[]> {
  const wanted = Object.entries(pages).map((page) => ({ page, looks: looksOfNextPage() }));
  const faults: string[] = [];
  for (const look of looks) {
    const seen = wanted.filter((one) => one.looks.includes(look)).map(({ page }) => page);
    if (seen.length > 0) faults.push(...(await faultsInLook(visitor, seen, look)));
  }
  return faults;
}

async function faultsInLook(
  visitor: BrowserContext,
  pages: readonly [name: string, address: string][],
  [colorScheme, size]: Look,
): Promise<string[]> {
  const browser = visitor.browser();
  if (!browser) throw new Error('The visitor has no browser.');
  const context = await browser.newContext({ viewport: sizes[size], colorScheme });
  await context.addCookies(await visitor.cookies());
  const left = [...pages];
  const faults: string[] = [];
  const openOneByOne = async () => {
    const page = await context.newPage();
    const open = watched(page, faults);
    for (let next = left.shift(); next; next = left.shift()) {
      const [name, address] = next;
      await open(address);
      await keepPicture(page, `${name}-${size}-${colorScheme}`);
      faults.push(...(await accessibilityFindings(page)).map((fault) => `${name} ${size} ${colorScheme}: ${fault}`));
    }
  };
  await Promise.all(Array.from({ length: tabs }, openOneByOne));
  await context.close();
  return faults;
}

/** Adds what goes wrong on the pages that are opened in this tab to `faults`; returns how to open one. */
function watched(page: Page, faults: string[]): (address: string) => Promise<void> {
  let opened = '';
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(opened).origin) faults.push(`${opened} calls ${request.url()}`);
  });
  page.on('console', (message) => {
    const isMissing = message.location().url === opened && message.text().includes('status of 404');
    if (message.type() === 'error' && !isMissing) faults.push(`${opened}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${opened}: ${error.message}`));
  return async (address) => {
    opened = address;
    await page.goto(address, { waitUntil: 'networkidle' });
  };
}
