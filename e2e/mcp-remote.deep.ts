import { beforeAll, expect, it } from 'vitest';
import { Agent } from './support/agent.ts';
import { startInBrowser } from './support/browser.ts';
import { installClients } from './support/installed-clients.ts';
import { addressesIn } from './support/mailbox.ts';
import { startOwner } from './support/owner.ts';

/** A host with mcp-remote that knows nothing but our address: its person, who is new here, does the rest in a browser. */
const { stack, browser } = await startInBrowser();
const run = installClients();
const email = 'noor@newhaven.example';
const patience = { timeout: 60_000, interval: 250 };
const person = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
let wallet: Agent;
beforeAll(async () => {
  wallet = await Agent.withWallet({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
});

/** The pages that the host led its person to. */
const shown: string[] = [];

async function open(link: string): Promise<void> {
  shown.push(new URL(link).pathname);
  await person.goto(link);
  await (new URL(person.url()).pathname.startsWith('/pay/') ? pay() : connect());
}

/** Opens an account on the way, and lets the client spend two checks a day. */
async function connect(): Promise<void> {
  await person.getByLabel('Your e-mail address').fill(email);
  await person.getByRole('button', { name: 'Send me a sign-in link' }).click();
  const links = () => addressesIn(stack.sandboxUrl, email, /Open your Work Check account/);
  await expect.poll(async () => (await links()).length, patience).toBe(1);
  await person.goto((await links())[0] ?? '');
  await person.getByRole('button', { name: 'Open the account' }).click();
  expect(await person.getByRole('main').innerText()).toContain('MCP CLI Proxy');
  await person.getByLabel('Per day').fill('10.00');
  await person.getByRole('button', { name: 'Approve' }).click();
  await person.getByText('Authorization successful').waitFor();
}

async function pay(): Promise<void> {
  const page = person.url();
  await person.getByRole('button', { name: /by card/ }).click();
  await person.getByLabel('E-mail').fill(email);
  await person.getByLabel('Card number').fill('4242 4242 4242 4242');
  await person.getByLabel('Expires').fill('12 / 40');
  await person.getByLabel('CVC').fill('123');
  await person.getByLabel('Name on the card').fill('Noor');
  await person.getByRole('button', { name: /^Pay/ }).click();
  await person.waitForURL(page);
  const text = async () => {
    await person.reload();
    return (await person.getByRole('main').innerText()).replaceAll('\u00a0', ' ');
  };
  await expect.poll(text, patience).toContain('5.00 USD collected');
}

/** What the person's account has, as their own browser reads it. */
async function own(list: 'agents' | 'jobs') {
  const cookies = await person.context().cookies(stack.baseUrl);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${stack.baseUrl}/api/agent/v1/${list}`, { headers: { cookie, origin: stack.baseUrl } });
  return ((await answer.json()) as Record<string, unknown[]>)[list] ?? [];
}

it.each([
  ['card', ['/oauth/authorize', expect.stringMatching(/^\/pay\//)]],
  // It keeps its tokens: nobody is asked again.
  ['x402', []],
])('mcp-remote with nothing but an address buys by %s within what its person lets it spend', async (RAIL, pages) => {
  shown.length = 0;
  const owner = await startOwner(wallet, open);
  const { out, err, code } = await run('mcp-remote', {
    BASE_URL: stack.baseUrl,
    TOKEN: '',
    RAIL,
    OWNER_URL: owner.url,
  });
  owner.stop();
  expect([code, out], err).toEqual([undefined, expect.stringMatching(/^The verdict is \w+\.\n$/)]);
  expect(shown).toEqual(pages);
  const [job] = await own('jobs');
  expect(job).toMatchObject({ state: 'accepted', payment_state: 'collected' });
  expect(await own('agents')).toMatchObject([
    { name: expect.stringContaining('MCP CLI Proxy'), grant: { daily_limit_microcents: 1_000_000_000 } },
  ]);
});
