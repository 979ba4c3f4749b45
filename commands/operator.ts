import { type Configuration, readConfiguration } from '../server/configuration.ts';
import { Problem } from '../server/door/problem.ts';
import { ConfigurationError } from '../server/kernel/configuration-error.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { openRuntime } from '../server/open-runtime.ts';
import type { Context, Runtime } from '../server/runtime.ts';
import { operatorContext } from '../server/transports/context.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

interface Opened {
  db: Database;
  configuration: Configuration;
  /** For what goes through the door: opens the rest of the server's runtime, too. */
  context(): Promise<Context>;
}

interface Wanted {
  /** How many words the command needs behind its name. */
  words: number;
  /** What it says when there are fewer. */
  usage: string;
}

/**
 * Runs an operator's command in the server's own environment, with the words behind its name, and prints the sentence
 * that `work` resolves to. Whoever can run it can read and write the database anyway. What is wrong with the environment,
 * and what the domain refuses, is one sentence, without a stack.
 */
export function runForOperator(
  wanted: Wanted,
  work: (words: string[], opened: Opened) => Promise<string>,
): Promise<never> {
  return runCommand(async () => {
    const words = process.argv.slice(2);
    if (words.length < wanted.words) throw new Refusal(wanted.usage);
    const configuration = environment();
    const db = openDatabase(configuration.databaseUrl, { connections: 1 });
    let runtime: Promise<Runtime> | undefined;
    const context = async () => {
      runtime ??= openRuntime(process.env, 'web');
      return operatorContext(await runtime);
    };
    try {
      console.log(await work(words, { db, configuration, context }));
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

/** What was refused, and what is wrong with each word that was given. */
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
