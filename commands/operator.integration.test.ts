import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { noteRunning } from './running.ts';
import { testDatabase } from './test-database.ts';

const database = await testDatabase();
const secret = 'x'.repeat(43);
const environment = {
  DATABASE_URL: database.url,
  BASE_URL: 'http://localhost:3000',
  ENVIRONMENT: 'test',
  SECRET_KEY: secret,
  NEXTAUTH_SECRET: secret,
  RECEIPT_KEYS_FILE: path.join(tmpdir(), `no-such-folder-${process.pid}`, 'receipt-keys.json'),
};

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command with what a person types into it. */
async function run(command: string, args: string[], changes: Record<string, string> = {}, typed = ''): Promise<Ran> {
  const script = path.join(import.meta.dirname, `${command}.ts`);
  const env = { ...process.env, ...environment, ...changes };
  const running = promisify(execFile)(process.execPath, [script, ...args], { env });
  running.child.stdin?.end(typed);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
  );
}

describe('a command for operators', () => {
  it.each([
    ['sign-in-link', [], /^Say whose link it is: npm run sign-in-link -- ACCOUNT_KEY E-MAIL\n$/],
    ['sign-in-link', ['acct_unknown', 'owner@example.com'], /^acct_unknown is no account, or it is closed\.\n$/],
    ['unblock', ['acct_unknown'], /^Say which block, account, payer or payment, and why: .*\n$/],
    ['unblock', ['acct_unknown', 'settled'], /^acct_unknown names no open block\.\n$/],
    [
      'operator-role',
      [],
      /^Say what: npm run operator -- grant ADDRESS viewer\|support\|finance\|admin \[--yes\], .*\n$/,
    ],
    ['operator-role', ['grant', 'boss@example.com', 'king'], /^Say what: .*\n$/],
    ['operator-role', ['grant', 'boss', 'admin'], /^Say what: .*\n$/],
    ['operator-role', ['revoke', 'boss@example.com'], /^boss@example.com has no role\.\n$/],
    ['settle-refund', ['refund_unknown', 'credit'], /^Say what was done: .*\n$/],
    ['card-dispute', ['du_1', 'ch_1', 'drawn', 'Letter.'], /^Say how it ended, and why you know: .*\n$/],
    ['waive', ['job_unknown'], /^Say which job and why: .*\n$/],
    ['receipt-numbers', ['skip', '0', 'restored'], /^Say what to do: npm run receipt-numbers, or .*\n$/],
    ['receipt-numbers', ['skip', '100'], /^Say what to do: npm run receipt-numbers, or .*\n$/],
    ['incident', ['open', 'Late'], /^Say what: npm run incident -- open TITLE .*\n.*\n$/],
  ])('%s %j says in one sentence why it did nothing', async (command, args, sentence) => {
    const { code, stdout, stderr } = await run(command, args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
  });

  it('names what is wrong with the environment', async () => {
    const { code, stderr } = await run('unblock', ['acct_unknown', 'settled'], { SECRET_KEY: 'short' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The environment cannot be used:\n {2}SECRET_KEY must be .*\n$/);
  });

  const at = (changes: object) => ({ DATABASE_URL: Object.assign(new URL(database.url), changes).href });

  it.each([
    ['money', [], { pathname: '/nothing' }, /^DATABASE_URL is refused: database "nothing" does not exist\.\n$/],
    ['money', [], { port: '9' }, /^The database does not serve this now: connect ECONNREFUSED .*\n$/],
    [
      'operator-role',
      ['list'],
      { pathname: '/postgres' },
      /^DATABASE_URL leads to a database without the tables .*\n$/,
    ],
  ])(
    '%s %j says in one sentence that its database is another, or away: %j',
    async (command, args, changes, sentence) => {
      const { code, stdout, stderr } = await run(command, args, at(changes));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(sentence);
    },
  );

  it.each([
    ['receipt-keys', ['rotate']],
    ['money', ['return', 'eip155:84532', '0xabc', '0']],
  ])(
    '%s %j does nothing on a machine whose clock is a month behind: what it writes goes by time',
    async (command, args) => {
      const behind = {
        NODE_OPTIONS: `--import ${path.resolve(import.meta.dirname, '../e2e/support/shifted-clock.ts')}`,
        CLOCK_SHIFT_SECONDS: String(-32 * 86_400),
      };
      const { code, stdout, stderr } = await run(command, args, behind);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^The clock of this machine is -27\d{5} s ahead of the database's: set it right\. .*\n$/);
    },
  );

  it('makes a sign-in link for a member that it makes, too', async () => {
    await database.pool.query(`insert into accounts (account_key, created_at) values ('acct_known', now())`);
    await database.pool.query(
      `insert into members (member_key, account_key, email, role, created_at)
       values ('member_boss', 'acct_known', 'boss@example.com', 'owner', now())`,
    );
    const { code, stdout } = await run('sign-in-link', ['acct_known', 'Owner@example.com']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/localhost:3000\/sign-in\?link=\w{43}\n$/);
    const { rows } = await database.pool.query("select email from members where role = 'approver'");
    expect(rows).toEqual([{ email: 'owner@example.com' }]);
  });

  it('tells the owner of the account that it made one', async () => {
    const { rows } = await database.pool.query("select data from pgboss.job where name = 'letter'");
    expect(rows.map(({ data }) => data)).toEqual([
      expect.objectContaining({ kind: 'operator_link', account_key: 'acct_known', email: 'Owner@example.com' }),
    ]);
  });

  it('gives a role, changes it and takes it back, each in the audit; who was no member becomes one', async () => {
    expect((await run('operator-role', ['grant', 'Ann@example.com', 'viewer', '--yes'])).stdout).toMatch(
      /is viewer from the next/,
    );
    expect((await run('operator-role', ['grant', 'ann@example.com', 'finance'])).code).toBe(0);
    expect((await run('operator-role', ['list'])).stdout).toBe('ann@example.com finance\n');
    const { rows: members } = await database.pool.query("select role from members where email = 'ann@example.com'");
    expect(members).toEqual([{ role: 'owner' }]);
    expect((await run('operator-role', ['revoke', 'ann@example.com'])).code).toBe(0);
    expect((await run('operator-role', ['list'])).stdout).toBe('Nobody has a role.\n');
    const { rows } = await database.pool.query('select subject, actor, reason from operator_acts order by sequence');
    expect(rows.map(({ reason }) => reason)).toEqual(['granted viewer', 'granted finance', 'revoked']);
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set(['operator:ann@example.com']));
  });

  it('asks before it gives a role to an address that nobody has', async () => {
    const grant = ['grant', 'anm@example.com', 'admin'];
    for (const typed of ['', 'no\n', 'y\n']) {
      const { code, stdout, stderr } = await run('operator-role', grant, {}, typed);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Nobody signs in with anm@example\.com yet\. .*No role was given\./s);
    }
    const { rows } = await database.pool.query("select 1 from members where email = 'anm@example.com'");
    expect(rows).toEqual([]);
    expect((await run('operator-role', grant, {}, 'yes\n')).stdout).toMatch(/is admin from the next/);
    expect((await run('operator-role', grant)).code).toBe(0);
    expect((await run('operator-role', ['revoke', 'anm@example.com'])).code).toBe(0);
  });

  // The database knows the keys of whoever came first.
  const keys = path.join(mkdtempSync(path.join(tmpdir(), 'work-check-keys-')), 'keys.json');

  it.each([
    ['operator-role', ['list'], 'Nobody has a role.'],
    ['money', [], 'What the books and a provider'],
    ['switch', ['card', 'off', 'trying it'], 'card is off.'],
    ['incident', ['open', 'Late', 'checks=degraded,card=down', 'Looking.'], ' is open.'],
    ['incident', ['list'], ' open Late'],
  ])('%s %j is about the demo that runs here, where no environment says otherwise', async (command, args, said) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'work-check-running-'));
    const forget = noteRunning(folder, { ...environment, RECEIPT_KEYS_FILE: keys });
    const nothing = Object.fromEntries(Object.keys(environment).map((name) => [name, '']));
    const ran = await run(command, args, { ...nothing, DATA_DIR: folder });
    expect(ran.stdout).toContain(said);
    expect(ran.stderr).toBe('This is about the demo at http://localhost:3000; DATABASE_URL names another service.\n');
    forget();
    expect(await run(command, args, { ...nothing, DATA_DIR: folder })).toMatchObject({ code: 1, stdout: '' });
    rmSync(folder, { recursive: true });
  });
});
