/** `npm run prisma -- …`: Prisma's CLI with the schema engine from npm, so that nothing is downloaded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runCommand } from './command.ts';
import { startThrowawayPostgres } from './postgres.ts';
import { Refusal } from './refusal.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const SCHEMA = path.join(ROOT, 'prisma', 'schema.prisma');
const CLIENT = path.join(ROOT, 'server', 'generated', 'prisma');

/** Generates the database client if it is missing or older than the schema; returns whether it did. */
export async function generateClient(): Promise<boolean> {
  if (isClientFresh()) return false;
  const { exitCode, output } = await runPrisma(['generate'], 'pipe');
  if (exitCode !== 0) throw new Refusal(`The database client could not be generated:\n${output}`);
  return true;
}

function isClientFresh(): boolean {
  if (!existsSync(CLIENT)) return false;
  const generatedAt = Math.max(...readdirSync(CLIENT).map((file) => statSync(path.join(CLIENT, file)).mtimeMs));
  return generatedAt >= statSync(SCHEMA).mtimeMs;
}

/** Runs Prisma's CLI; `pipe` captures its output. `DATABASE_URL` comes from `env` or the environment. */
export async function runPrisma(
  args: readonly string[],
  stdio: 'inherit' | 'pipe',
  env: Record<string, string> = {},
): Promise<{ exitCode: number; output: string }> {
  const manifest = createRequire(import.meta.url).resolve('prisma/package.json');
  const cli = spawn(process.execPath, [path.join(path.dirname(manifest), 'build', 'index.js'), ...args], {
    cwd: ROOT,
    stdio: ['inherit', stdio, stdio],
    env: {
      PRISMA_SCHEMA_ENGINE_BINARY: path.join(import.meta.dirname, 'schema-engine.ts'),
      ...process.env,
      ...env,
      // The CLI runs the engine by its shebang, which looks for `node` on the path.
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  let output = '';
  for (const stream of [cli.stdout, cli.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk));
  const [exitCode] = await once(cli, 'close');
  return { exitCode: typeof exitCode === 'number' ? exitCode : 1, output };
}

/** Migrations are compared against a server; without `DATABASE_URL` a temporary one is started. */
async function runWithThrowawayDatabase(args: readonly string[]): Promise<number> {
  const postgres = await startThrowawayPostgres();
  try {
    return (await runPrisma(args, 'inherit', { DATABASE_URL: postgres.url })).exitCode;
  } finally {
    await postgres.stop();
  }
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const needsServer = (args[0] === 'migrate' || args[0] === 'db') && !process.env.DATABASE_URL;
  await runCommand(async () =>
    needsServer ? runWithThrowawayDatabase(args) : (await runPrisma(args, 'inherit')).exitCode,
  );
}
