import { spawnSync } from 'node:child_process';
import { lchownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const nobody = 65_534;

/**
 * Copies the folder `from` of the server at `url`, which goes on running, to `into`, from which another starts with the
 * log of the meantime. npm's PostgreSQL has no `pg_basebackup`, so the copy is made between `pg_backup_start` and
 * `pg_backup_stop`; a server that archives its log has archived what the copy needs when this resolves.
 */
export async function copyBase(url: string, from: string, into: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    // Files that vanish meanwhile come back from the log.
    spawnSync('cp', ['-a', from, into]);
    const { rows } = await client.query('select labelfile from pg_backup_stop()');
    for (const inner of ['pg_wal', 'pg_replslot']) {
      for (const name of readdirSync(path.join(into, inner))) rmSync(path.join(into, inner, name), { recursive: true });
    }
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(path.join(into, name), { force: true });
    writeFor(into, 'backup_label', rows[0].labelfile);
  } finally {
    await client.end();
  }
}

/** Writes a file of a server's. */
export function writeFor(folder: string, name: string, text: string): void {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  giveToServer(file);
}

/** Gives a file or folder to who runs the server: nobody, when we are root. */
export function giveToServer(file: string): void {
  if (process.getuid?.() === 0) lchownSync(file, nobody, nobody);
}
