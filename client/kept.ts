import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

/** What a buyer must not lose: requests before they are sent, payments before they are presented, its credential. */
export interface Kept {
  read(name: string): unknown;
  /** Returns once it would survive a crash. */
  write(name: string, value: unknown): void;
}

/** Keeps each thing in a file of its own, which only its owner may read. */
export function keptIn(folder: string): Kept {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const fileOf = (name: string) => path.join(folder, `${encodeURIComponent(name)}.json`);
  return {
    read(name) {
      try {
        return JSON.parse(readFileSync(fileOf(name), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(name, value) {
      const draft = `${fileOf(name)}.${process.pid}.new`;
      const file = openSync(draft, 'w', 0o600);
      writeSync(file, JSON.stringify(value));
      fsyncSync(file);
      closeSync(file);
      renameSync(draft, fileOf(name));
    },
  };
}
