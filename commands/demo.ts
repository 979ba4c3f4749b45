/**
 * `npm run demo`: everything on this machine, and an agent that buys checks before your eyes. Stays up until Ctrl-C;
 * with `--exit` it stops by itself and exits 0 only if the agent got everything it paid for.
 */
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { openDatabase } from '../server/kernel/database.ts';
import { buildApp } from './build.ts';
import { runCommand } from './command.ts';
import { dataDir } from './data-dir.ts';
import { DemoCustomer } from './demo-customer.ts';
import { newcomerLinks } from './demo-links.ts';
import { portsFrom } from './ports.ts';
import { generateClient } from './prisma.ts';
import { endingOf, printLine, spawnWatched } from './processes.ts';
import { requireFreePorts, type Stack, startStack } from './stack.ts';

const AGENT = path.resolve(import.meta.dirname, '..', 'client', 'example-agent.ts');

await runCommand(demo, { afterInterrupt: 0 });

async function demo(): Promise<number> {
  const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });
  const ports = portsFrom(process.env.PORT);
  // Check before the build, which takes a minute.
  await requireFreePorts(ports);
  await generateClient();
  if (await buildApp()) printLine('build', 'done; it is kept until a source changes');
  const stack = await startStack({ ports, dataDir: dataDir(), mode: 'production' });
  const outcome = await Promise.race([runAgent(stack), stack.broken]);
  if (typeof outcome === 'string') return fail(outcome);
  const { exitCode, accountKey } = outcome;
  if (exitCode !== 0) console.error(`The agent did not get what it paid for (exit code ${exitCode}).`);
  if (values.exit) {
    console.log('\nEverything is being stopped; what was bought is kept. Without --exit it stays up to look around.');
    return exitCode;
  }
  await printLinks(stack, accountKey);
  return fail(await stack.broken);
}

/**
 * The agent gets two addresses and nothing of our environment. At its end it prints its account; we can read the
 * database, so we print sign-in links for a member of that account and for an operator.
 */
async function runAgent({ baseUrl, sandboxUrl }: Stack): Promise<{ exitCode: number; accountKey: string | null }> {
  const customer = customerOf(sandboxUrl);
  const env = { ...process.env, BASE_URL: baseUrl, SANDBOX_URL: sandboxUrl };
  const options = { env, stdio: ['ignore' as const, 'pipe' as const, 'inherit' as const] };
  const agent = spawnWatched(process.execPath, [AGENT], options, 'SIGTERM');
  let accountKey: string | null = null;
  if (agent.stdout) {
    createInterface({ input: agent.stdout }).on('line', (line) => {
      console.log(line);
      accountKey = /^account (acct_\w+)$/.exec(line)?.[1] ?? accountKey;
      customer.hear(line);
    });
  }
  const how = await endingOf(agent);
  await customer.leave();
  return { exitCode: typeof how === 'number' ? how : 1, accountKey };
}

/**
 * The customer, in a headless browser: confirms the agent and pays by its link. Failures are printed; the agent then
 * gives up waiting.
 */
function customerOf(sandboxUrl: string): { hear(line: string): void; leave(): Promise<void> } {
  let person: Promise<DemoCustomer> | null = null;
  let email = '';
  const act = (deed: (customer: DemoCustomer) => Promise<void>) => {
    person ??= DemoCustomer.arrive(sandboxUrl);
    person.then(deed).then(
      () => printLine('customer', 'done, in a browser'),
      (error: Error) => printLine('customer', error.message),
    );
  };
  return {
    hear(line) {
      const [, verb, about = ''] = /^(confirm|continue) (\S+)$/.exec(line) ?? [];
      if (verb === 'confirm') {
        email = about;
        act((customer) => customer.confirm(about));
      }
      if (verb === 'continue') act((customer) => customer.pay(about, email));
    },
    async leave() {
      await (await person?.catch(() => null))?.leave();
    },
  };
}

async function printLinks({ baseUrl, sandboxUrl, databaseUrl }: Stack, accountKey: string | null): Promise<void> {
  console.log(`
Look around:
  ${baseUrl}                    the service page
  ${baseUrl}/docs               how an agent buys, step by step
  ${baseUrl}/openapi.json       every operation
  ${sandboxUrl}                 the sandbox: chains and mail
Rules check the work here, and no language model reads it (ASSESSOR=rules).`);
  const db = openDatabase(databaseUrl, { connections: 1 });
  const { customer, operator } = await newcomerLinks(db, baseUrl, accountKey, new Date());
  await db.end();
  if (customer) {
    console.log(`
As the customer of these agents: what they bought, their reports, receipts and limits. Signs you in, once, within 15
minutes:
  ${customer}`);
  }
  console.log(`
As an operator: open /console afterwards, for purchases, money and switches. Use another browser or a private window:
  ${operator}`);
  console.log('\nPress Ctrl-C to stop everything.');
}

function fail(sentence: string): number {
  console.error(sentence);
  return 1;
}
