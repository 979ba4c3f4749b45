import { type Configuration, readConfiguration } from '../server/configuration.ts';
import { ConfigurationError } from '../server/kernel/configuration-error.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { openRuntime } from '../server/open-runtime.ts';
import { Problem } from '../server/problems/problem.ts';
import type { Context, Runtime } from '../server/runtime.ts';
import { operatorContext } from '../server/transports/context.ts';
import { runCommand } from './command.ts';
import { databaseTime } from './database-time.ts';
import { Refusal } from './refusal.ts';
import { useRunning } from './running.ts';

interface Opened {
  db: Database;
  /** By the database's clock. */
  now: Date;
  configuration: Configuration;
  /** Opens the rest of the runtime, for operations that go through the door. */
  context(): Promise<Context>;
}

interface Wanted {
  /** How many arguments the command needs. */
  words: number;
  /** The message when there are fewer. */
  usage: string;
  /** How long an answer of the database may take, in milliseconds, where it reads much. */
  answerMs?: number;
}

/**
 * Runs an operator's command in the server's environment, or that of the demo that runs here, with its arguments, and prints the sentence that `work`
 * resolves to. No authentication: whoever can run it can write the database anyway. Bad environments and refusals print
 * one sentence without a stack.
 */
export function runForOperator(
  wanted: Wanted,
  work: (words: string[], opened: Opened) => Promise<string>,
): Promise<never> {
  return runCommand(async () => {
    const words = process.argv.slice(2);
    if (words.length < wanted.words) throw new Refusal(wanted.usage);
    useRunning();
    const configuration = environment();
    const db = openDatabase(configuration.databaseUrl, {
      connections: 1,
      ...(wanted.answerMs ? { answerMs: wanted.answerMs } : {}),
    });
    let runtime: Promise<Runtime> | undefined;
    const context = async () => {
      runtime ??= openRuntime(process.env, 'web');
      return operatorContext(await runtime);
    };
    try {
      const now = await databaseTime(db);
      console.log(await work(words, { db, now, configuration, context }));
      return 0;
    } catch (error) {
      if (error instanceof ConfigurationError) throw unusable(error);
      throw error instanceof Problem ? new Refusal(sentenceOf(error)) : error;
    } finally {
      await (await runtime)?.close();
      await db.end();
    }
  });
}

/** The refusal, and what is wrong with each argument. */
function sentenceOf({ message, extras }: Problem): string {
  return [message, ...(extras.errors ?? []).map(({ pointer, detail }) => `  ${pointer.slice(1)}: ${detail}`)].join(
    '\n',
  );
}

function environment(): Configuration {
  try {
    return readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw unusable(error);
  }
}

function unusable({ message }: ConfigurationError): Refusal {
  return new Refusal(`The environment cannot be used:\n${message.replace(/^/gm, '  ')}`);
}
