/**
 * `npm run demo`: everything on this machine, and an agent that buys a check before your eyes. Stays up until Ctrl-C;
 * with `--exit` it stops by itself, and exits 0 only if the agent got all it paid for.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildApp } from './build.ts';
import { runCommand } from './command.ts';
import { portsFrom } from './ports.ts';
import { generateClient } from './prisma.ts';
import { endingOf, printLine, spawnWatched } from './processes.ts';
import { dataDir, type Stack, startStack } from './stack.ts';

const AGENT = path.resolve(import.meta.dirname, '..', 'client', 'example-agent.ts');

await runCommand(demo, { afterInterrupt: 0 });

async function demo(): Promise<number> {
  const { values } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });
  const ports = portsFrom(process.env.PORT);
  await generateClient();
  if (await buildApp()) printLine('build', 'done; it is kept until a source changes');
  const stack = await startStack({ ports, dataDir: dataDir(), mode: 'production' });
  const ending = await Promise.race([runAgent(stack), stack.broken]);
  if (typeof ending === 'string') return fail(ending);
  if (ending !== 0) console.error(`The agent did not get what it paid for (exit code ${ending}).`);
  if (values.exit) return ending;
  printLinks(stack);
  return fail(await stack.broken);
}

/** The agent is a stranger: it gets two addresses and nothing of our environment. */
async function runAgent({ baseUrl, sandboxUrl }: Stack): Promise<number> {
  const env = { ...process.env, BASE_URL: baseUrl, SANDBOX_URL: sandboxUrl };
  const options = { env, stdio: ['ignore' as const, 'inherit' as const, 'inherit' as const] };
  const how = await endingOf(spawnWatched(process.execPath, [AGENT], options, 'SIGTERM'));
  return typeof how === 'number' ? how : 1;
}

function printLinks({ baseUrl, sandboxUrl }: Stack): void {
  console.log(`
Look around:
  ${baseUrl}                    the service page
  ${baseUrl}/openapi.json       every operation
  ${baseUrl}/.well-known/svc    what an agent reads first
  ${sandboxUrl}/mail            the mail that was sent

Press Ctrl-C to stop everything.`);
}

function fail(sentence: string): number {
  console.error(sentence);
  return 1;
}
