import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './command.ts';
import { runProgram } from './processes.ts';

const folder = path.resolve(import.meta.dirname, '../.data/letters');

/** Where an account lives through all that we write about. */
const lives = [
  'server/worker/letters',
  'server/identity/registration',
  'server/identity/members',
  'server/identity/people',
  'server/identity/newcomer',
  'server/identity/sign-ins',
  'server/purchases/quote/approval',
  'server/purchases/pay/disown',
  'server/purchases/receipt/bookkeeping',
  'server/purchases/webhooks/webhooks',
  'server/payments/card/card',
  'server/console/settle-refund',
].map((name) => `${name}.integration.test.ts`);

/** How the subjects of a whole life begin, in its order. */
const life = [
  'Confirm an agent',
  'Your Work Check account',
  'An agent asked for a new',
  'An agent asks to be connected',
  'An agent was connected',
  'An agent was denied',
  'Your sign-in link',
  'Open your',
  'A sign-in link was made',
  'New browser signed in',
  'An invitation',
  'Somebody joined',
  'The role of a member changed',
  'A member left',
  'The limits of an agent were raised',
  'An agent may fetch a new key',
  'An agent asks to spend',
  'Paid: ',
  'An agent paid with a card',
  'A saved card was removed',
  'Report ready: ',
  'A review ends',
  'Re-check ready: ',
  'Charge final: ',
  'You pay nothing: ',
  'Check failed: ',
  'Canceled: ',
  'Refunded: ',
  'A refund of ',
  'Credited: ',
  'A bank disputes',
  'A payment was not yours',
  'Your account can buy again',
  'A webhook endpoint',
  'Your checks of ',
  'Your statement for ',
  'Your Work Check account is closed',
];

/**
 * `npm run letters` lives the life of an account, from its first agent to its end, and leaves a letter of each kind in
 * `.data/letters`, as text and HTML, with a page to look at all of them. Fails when a kind did not come.
 */
await runCommand(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ending = await runProgram('vitest', ['run', '--project', 'integration', ...lives], {
    ...process.env,
    LETTERS: folder,
  });
  if (ending !== 0) return 1;
  const came = readdirSync(folder).flatMap((name) => (name.endsWith('.txt') ? [letterAt(name)] : []));
  const sorted = came.sort((one, other) => one.place - other.place);
  const style = 'iframe { width: 100%; height: 32rem; border: 1px solid #8886 } :root { color-scheme: light dark }';
  const parts = sorted.map(({ subject, page }) => `<h2>${subject}</h2><iframe src="${page}"></iframe>`);
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Letters</title><style>${style}</style>${parts.join('')}`,
  );
  console.log(`${came.length} letters: ${path.join(folder, 'index.html')}`);
  const missing = life.filter((_, place) => !came.some((letter) => letter.place === place));
  if (missing.length > 0) console.error(`These did not come: ${missing.join('; ')}`);
  return missing.length === 0 ? 0 : 1;
});

/** A letter that was left: its subject, its place in `life` by the longest beginning that fits, and its page. */
function letterAt(name: string): { subject: string; place: number; page: string } {
  const first = readFileSync(path.join(folder, name), 'utf8').split('\n')[0] ?? '';
  const subject = first.replace('Subject: ', '');
  const fits = life.filter((start) => subject.startsWith(start)).sort((one, other) => other.length - one.length);
  return { subject, place: fits[0] ? life.indexOf(fits[0]) : life.length, page: name.replace('.txt', '.html') };
}
