import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A letter as received. */
export type Letter = { to: string[]; from: string; subject: string; text: string; html: string; received_at: string };

export type Mailbox = {
  keep(letter: Letter): void;
  /** Newest first; `to` filters by recipient, ignoring case. */
  list(to?: string): Letter[];
};

export const LETTERS_KEPT = 1_000;
// Compact the file only at twice the kept letters, so that each letter costs one short write.
const FILE_LINES_MAX = 2 * LETTERS_KEPT;

/** Opens the mailbox of a JSON-lines file, with the letters of earlier runs. */
export function openMailbox(path: string): Mailbox {
  mkdirSync(dirname(path), { recursive: true });
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  let letters = lines.slice(-LETTERS_KEPT).flatMap(readLetter);
  let linesInFile = lines.length;

  function cutBack() {
    const shorter = `${path}.shorter`;
    writeFileSync(shorter, letters.map((letter) => `${JSON.stringify(letter)}\n`).join(''));
    renameSync(shorter, path);
    linesInFile = letters.length;
  }

  // A crash may cut the last line: don't append to it.
  if (linesInFile > 0) cutBack();

  return {
    keep(letter) {
      letters = [...letters, letter].slice(-LETTERS_KEPT);
      appendFileSync(path, `${JSON.stringify(letter)}\n`);
      linesInFile += 1;
      if (linesInFile > FILE_LINES_MAX) cutBack();
    },
    list(to) {
      const wanted = to?.toLowerCase();
      const mine = letters.filter(
        (letter) => wanted === undefined || letter.to.some((one) => one.toLowerCase() === wanted),
      );
      return mine.reverse();
    },
  };
}

/** Drops a line that a crash cut short. */
function readLetter(line: string): Letter[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
