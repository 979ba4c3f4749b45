import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './command.ts';
import { runProgram } from './processes.ts';

const folder = path.resolve(import.meta.dirname, '../.data/letters');

/**
 * `npm run letters` lives the life of an account, from its first agent to a refund, and leaves every letter that came
 * in `.data/letters`, as text and HTML, with a page to look at all of them.
 */
await runCommand(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const life = ['run', '--project', 'integration', 'server/worker/letters.integration.test.ts'];
  const ending = await runProgram('vitest', life, { ...process.env, LETTERS: folder });
  if (ending !== 0) return 1;
  const names = readdirSync(folder).filter((name) => name.endsWith('.html'));
  const parts = names.map((name) => {
    const subject = readFileSync(path.join(folder, name.replace('.html', '.txt')), 'utf8').split('\n')[0] ?? '';
    return `<h2>${subject.replace('Subject: ', '')}</h2><iframe src="${name}"></iframe>`;
  });
  const style = 'iframe { width: 100%; height: 32rem; border: 1px solid #8886 } :root { color-scheme: light dark }';
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Letters</title><style>${style}</style>${parts.join('')}`,
  );
  console.log(`${names.length} letters: ${path.join(folder, 'index.html')}`);
  return 0;
});
