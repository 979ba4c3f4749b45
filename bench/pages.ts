import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { type Browser, type BrowserContext, chromium } from 'playwright';
import { findChromium } from '../commands/chromium.ts';
import { newcomerLinks } from '../commands/demo-links.ts';
import { startStack } from '../commands/stack.ts';
import { Agent } from '../e2e/support/agent.ts';
import { codeIn, linkIn, registrationFor } from '../e2e/support/letter.ts';
import { controlClient } from '../sandbox/control-client.ts';
import type { Ports } from '../sandbox/ports.ts';
import { openDatabase } from '../server/kernel/database.ts';

const kinds = ['document', 'script', 'font', 'stylesheet'] as const;
type Kind = (typeof kinds)[number];

/** Limits in kB: pages that a letter leads to, and the console. */
const limits = { letter: { script: 125, font: 60 }, console: { script: 140, font: 60 } } as const;

interface Place {
  path: string;
  of: 'site' | keyof typeof limits;
  /** Opened without a session. */
  isForAnyone?: true;
}

interface Weighed extends Place {
  requests: number;
  /** Bytes by kind, as brotli at its best would send them; fonts as they are. */
  bytes: Record<Kind, number>;
  lcpMs: number;
  shift: number;
}

/** What each page weighs on a first visit, and how soon its largest part is there: nothing is throttled or cached. */
export async function benchPages(ports: Ports, dataDir: string): Promise<string> {
  const stack = await startStack({ ports, dataDir, mode: 'production' });
  const { executablePath, args, env } = await findChromium();
  const browser = await chromium.launch({ executablePath, args: [...args], env });
  try {
    const agent = await Agent.arrive({ baseUrl: stack.baseUrl, sandbox: { controlUrl: stack.sandboxUrl } });
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    const job = await agent.paidJob();
    for (let state = ''; state !== 'delivered'; ) state = (await agent.job(job, { prefer: 'wait=25' })).body.state;
    const cookies = await cookiesOf(browser, stack, account_key);
    const weighed: Weighed[] = [];
    for (const place of [...placesWith(job, account_key), ...(await openDecisions(stack))]) {
      const context = await browser.newContext();
      const who =
        place.of === 'console' ? cookies.operator : place.of === 'letter' && !place.isForAnyone ? cookies.customer : [];
      await context.addCookies(who);
      weighed.push(await weigh(context, stack.baseUrl, place));
      await context.close();
    }
    return tableOf(weighed);
  } finally {
    await browser.close();
    await stack.stop();
  }
}

const placesWith = (job: string, account: string): Place[] => [
  { path: '/', of: 'site' },
  { path: '/docs', of: 'site' },
  { path: '/quality', of: 'site' },
  { path: '/sample-report', of: 'site' },
  { path: '/status', of: 'site' },
  { path: '/verify', of: 'site' },
  { path: '/sign-in', of: 'letter' },
  { path: '/sign-in/end?link=x', of: 'letter' },
  { path: '/agents', of: 'letter' },
  { path: '/account', of: 'letter' },
  { path: '/account/webhooks', of: 'letter' },
  { path: '/sources', of: 'letter' },
  { path: '/purchases', of: 'letter' },
  { path: '/purchases/credit', of: 'letter' },
  { path: '/purchases/spend', of: 'letter' },
  { path: '/purchases/statement', of: 'letter' },
  { path: `/reports/${job}`, of: 'letter' },
  { path: `/reports/${job}/pay`, of: 'letter' },
  { path: `/receipts/${job}`, of: 'letter' },
  { path: '/console', of: 'console' },
  { path: '/console/purchases', of: 'console' },
  { path: `/console/purchases/${job}`, of: 'console' },
  { path: `/console/customers/${account}`, of: 'console' },
  { path: '/console/money', of: 'console' },
  { path: '/console/quality', of: 'console' },
  { path: '/console/audit', of: 'console' },
];

/** The pages on which a person without a session decides: of an agent to confirm, and of a payment by card. */
async function openDecisions({ baseUrl, sandboxUrl }: { baseUrl: string; sandboxUrl: string }): Promise<Place[]> {
  const letterTo = async (email: string): Promise<string> => {
    for (;;) {
      const [letter] = await controlClient(sandboxUrl).mail(email);
      if (letter) return letter.text;
      await sleep(200);
    }
  };
  const register = async (email: string) => {
    const agent = new Agent(baseUrl, `0x${'1'.repeat(64)}`);
    const { body } = await agent.post('/api/agent/v1/registrations', registrationFor(email));
    return { agent, body, text: await letterTo(email) };
  };
  const asked = await register('asked@example.com');
  const { agent, body, text } = await register('payer@example.com');
  const released = await agent.post(`/api/agent/v1/registrations/${body.registration_key}/claim`, {
    claim_token: body.claim_token,
    code: codeIn(text),
  });
  agent.token = released.body.credential;
  const job = await agent.authorizedJob();
  const paid = await agent.post(`/api/agent/v1/jobs/${job}/payments`, {
    rail: 'card',
    method: 'card_checkout',
    idempotency_key: job,
  });
  return [
    { path: `/confirm?link=${linkIn(asked.text)}`, of: 'letter', isForAnyone: true },
    { path: `/pay/${paid.body.payment_key}`, of: 'letter', isForAnyone: true },
  ];
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** The cookies of a member of the account, and of an operator. */
async function cookiesOf(
  browser: Browser,
  { baseUrl, databaseUrl }: { baseUrl: string; databaseUrl: string },
  accountKey: string,
): Promise<{ customer: Cookies; operator: Cookies }> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  const links = await newcomerLinks(db, baseUrl, accountKey, new Date());
  await db.end();
  const signedIn = async (link: string | null): Promise<Cookies> => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link ?? '');
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
    const cookies = await context.cookies();
    await context.close();
    return cookies;
  };
  return { customer: await signedIn(links.customer), operator: await signedIn(links.operator) };
}

async function weigh(context: BrowserContext, baseUrl: string, place: Place): Promise<Weighed> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen = { lcp: 0, shift: 0 };
    Object.assign(window, { seen });
    const watch = (type: string, take: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    watch('largest-contentful-paint', ({ startTime }) => {
      seen.lcp = startTime;
    });
    watch('layout-shift', (entry) => {
      seen.shift += (entry as PerformanceEntry & { value: number }).value;
    });
  });
  const bytes: Record<Kind, number> = { document: 0, script: 0, font: 0, stylesheet: 0 };
  const bodies: Promise<void>[] = [];
  let requests = 0;
  page.on('response', (response) => {
    requests += 1;
    const kind = kinds.find((one) => one === response.request().resourceType());
    const isRedirect = response.status() >= 300 && response.status() < 400;
    if (!kind || isRedirect) return;
    const weighing = response.body().then((body) => {
      bytes[kind] += sent(kind, body);
    });
    bodies.push(weighing);
  });
  await page.goto(baseUrl + place.path, { waitUntil: 'networkidle' });
  await Promise.all(bodies);
  const { lcp, shift } = await page.evaluate(
    () => (window as unknown as { seen: { lcp: number; shift: number } }).seen,
  );
  return { ...place, requests, bytes, lcpMs: lcp, shift };
}

const sent = (kind: Kind, body: Buffer): number => (kind === 'font' ? body.length : brotliCompressSync(body).length);

function tableOf(weighed: Weighed[]): string {
  const kB = (bytes: number) => (bytes / 1000).toFixed(0);
  const lines = weighed.map(({ path, of, requests, bytes, lcpMs, shift }) => {
    const limit = of === 'site' ? limits.letter : limits[of];
    const over = (['script', 'font'] as const).filter((kind) => bytes[kind] / 1000 > limit[kind]);
    const words = over.map((kind) => `${kind} over ${limit[kind]}`).join(', ');
    const cells = kinds.map((kind) => kB(bytes[kind]));
    return `| ${[path, requests, ...cells, lcpMs.toFixed(0), shift.toFixed(3), words || 'within'].join(' | ')} |`;
  });
  const head = ['page', 'requests', 'HTML', 'script', 'fonts', 'CSS', 'LCP ms', 'CLS', 'limit'];
  return [
    'Pages on a first visit: kB as brotli sends them',
    '',
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...lines,
  ].join('\n');
}
