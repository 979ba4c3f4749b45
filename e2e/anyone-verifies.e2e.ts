import { expect, it } from 'vitest';
import vectors from '../client/vectors.json' with { type: 'json' };
import { patched } from '../client/verify/patched.ts';
import { linkWords } from '../components/purchases/link-words.ts';
import { faultsOf, faultsOfPages, shareInBrowser } from './support/browser.ts';

/** Somebody without an account checks a purchase on the page, with keys of their own. */
const { stack, browser } = await shareInBrowser();

const file = (name: string, content: unknown) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(content)),
});

it('sees every link hold and the first broken one named, and sends nothing', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  await page.goto(`${stack.baseUrl}/verify`);
  const verify = page.getByRole('button', { name: 'Verify' });
  await expect.poll(() => verify.isEnabled(), { timeout: 30_000 }).toBe(true);
  const isCode = (url: string) => url.endsWith('-worker.js');
  expect(asked.filter(isCode)).toEqual([]);
  await page.getByLabel('Keys of the seller').setInputFiles(file('keys.json', vectors.keys));

  await page.getByLabel('Purchase').setInputFiles(file('good.json', vectors.good.table));
  await verify.click();
  await page.getByRole('heading', { name: 'Everything holds' }).waitFor();
  expect(await page.getByText('Holds', { exact: true }).count()).toBe(linkWords.length);
  expect(await faultsOf(page, 'verified')).toEqual([]);

  for (const { of, broken, patch } of vectors.tampered.filter(({ broken }) =>
    ['signatures', 'checks'].includes(broken),
  )) {
    const tampered = patched(vectors.good[of as keyof typeof vectors.good], patch);
    await page.getByLabel('Purchase').setInputFiles(file('tampered.json', tampered));
    await verify.click();
    await page.getByRole('heading', { name: `It breaks at “${broken}”` }).waitFor();
  }
  await page.getByLabel('Keys of the seller').setInputFiles(file('keys.json', { keys: [] }));
  await page.getByLabel('Purchase').setInputFiles(file('good.json', vectors.good.prose));
  await verify.click();
  await page.getByText('No published key is called receipt-vectors.').waitFor();

  expect(asked.filter(isCode).length).toBeGreaterThan(0);
  expect(asked.filter((url) => new URL(url).origin !== new URL(stack.baseUrl).origin)).toEqual([]);
  // Its code may reach nothing at all.
  const policies = await Promise.all(
    ['verify-worker.js', 'schema-worker.js'].map(async (name) =>
      (await fetch(`${stack.baseUrl}/verify/${name}`)).headers.get('content-security-policy'),
    ),
  );
  for (const policy of policies) expect(policy).toMatch(/^default-src 'none'; (?!.*connect-src)/);
  await context.close();
});

it('reads how right the check is, with the command behind the figures, as the card says it', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${stack.baseUrl}/quality`);
  const words = await page.getByRole('main').innerText();
  expect(words).toContain('npm run check:cases');
  const card = await (await fetch(`${stack.baseUrl}/quality.md`)).text();
  const titles = [...card.matchAll(/^##+ (.+)$/gm)].map(([, title]) => title);
  expect(titles.length).toBeGreaterThan(3);
  expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(titles);
  const rows =
    card.split('\n').filter((line) => line.startsWith('|')).length - 2 * (await page.locator('table').count());
  expect(await page.locator('tbody tr').count()).toBe(rows);
  await context.close();
});

it('finds the page of verification accessible', async () => {
  const context = await browser.newContext();
  expect(await faultsOfPages(context, { verify: `${stack.baseUrl}/verify` })).toEqual([]);
  await context.close();
});
