import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LETTERS_KEPT, type Letter, openMailbox } from './mailbox.ts';

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'mailbox-'));
  file = join(folder, 'mail.jsonl');
  return () => rmSync(folder, { recursive: true });
});

function letter(subject: string): Letter {
  return { to: ['ada@example.com'], from: '', subject, text: '', html: '', received_at: '2026-01-01T00:00:00.000Z' };
}

describe('the mailbox', () => {
  it('keeps the newest letters only, in memory and in its file', () => {
    const mailbox = openMailbox(file);
    for (let index = 0; index <= 2 * LETTERS_KEPT; index += 1) mailbox.keep(letter(`letter ${index}`));
    expect(mailbox.list()).toHaveLength(LETTERS_KEPT);
    expect(mailbox.list()[0]?.subject).toBe(`letter ${2 * LETTERS_KEPT}`);
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(LETTERS_KEPT + 1);
    expect(openMailbox(file).list()).toEqual(mailbox.list());
  });

  it('drops a line that a crash cut short, and goes on', () => {
    openMailbox(file).keep(letter('whole'));
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"to":["ada@exam`);
    const mailbox = openMailbox(file);
    mailbox.keep(letter('next'));
    expect(
      openMailbox(file)
        .list()
        .map(({ subject }) => subject),
    ).toEqual(['next', 'whole']);
  });
});
