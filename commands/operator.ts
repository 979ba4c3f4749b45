import { ConfigurationError } from '../server/kernel/assessor-env.ts';
import { type Database, openDatabase } from '../server/kernel/database.ts';
import { type Configuration, readConfiguration } from '../server/kernel/env.ts';
import { Problem } from '../server/kernel/problem.ts';
import { runCommand } from './command.ts';
import { Refusal } from './refusal.ts';

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
  work: (words: string[], db: Database, configuration: Configuration) => Promise<string>,
): Promise<never> {
  return runCommand(async () => {
    const words = process.argv.slice(2);
    if (words.length < wanted.words) throw new Refusal(wanted.usage);
    const configuration = environment();
    const db = openDatabase(configuration.databaseUrl, 1);
    try {
      console.log(await work(words, db, configuration));
      return 0;
    } catch (error) {
      throw error instanceof Problem ? new Refusal(error.message) : error;
    } finally {
      await db.end();
    }
  });
}

function environment(): Configuration {
  try {
    return readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Refusal(`The environment cannot be used:\n${error.message.replace(/^/gm, '  ')}`);
  }
}
