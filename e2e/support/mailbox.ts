import { controlClient } from '../../sandbox/control-client.ts';
import { addressIn } from './letter.ts';

/** The addresses in a person's letters whose subject matches, newest first. */
export async function addressesIn(sandboxUrl: string, email: string, subject: RegExp): Promise<string[]> {
  const letters = await controlClient(sandboxUrl).mail(email);
  return letters.filter((letter) => subject.test(letter.subject)).map(({ text }) => addressIn(text));
}
