import { after } from '../kernel/clock.ts';
import { sql, statement } from '../kernel/sql.ts';
import { type Tx, transact } from '../kernel/transaction.ts';
import { forgetLetters } from '../mail/send-letter.ts';
import type { Runtime } from '../runtime.ts';
import { seconds } from '../service/terms.ts';

/**
 * Deletes, after 30 days, what came to nothing: unconfirmed registrations with their addresses, letters, and ended
 * links, challenges and sessions. Safe beside another run.
 */
export async function forgetStrangers({ db, clock }: Pick<Runtime, 'db' | 'clock'>): Promise<void> {
  const before = after(clock(), -seconds.retention);
  await db.many(sql`delete from registrations where account_key is null and expires_at < ${before}`);
  await forgetLetters(db, before);
  await db.many(sql`delete from sign_in_links where expires_at < ${before}`);
  await db.many(sql`delete from member_sessions where expires_at < ${before}`);
  await db.many(sql`delete from wallet_challenges where expires_at < ${before}`);
  await db.many(sql`delete from credentials where kind = 'wallet' and expires_at < ${before}`);
  // A client gets a token an hour, or as many as it asks for. The last one tells people when their agent was here.
  await db.many(sql`
    delete from credentials old where kind = 'oauth' and expires_at < ${before} and exists (
      select from credentials later where later.principal_key = old.principal_key and later.created_at > old.created_at)`);
}

/** Wallets looked at per transaction. */
const batch = 500;

/**
 * Deletes wallets that are older than `before` and left nothing: anybody can make them by the thousand. What would keep
 * one in other rooms is for `traces` to say, a condition on the column that it is given. Safe beside another run, and
 * beside a wallet that comes back meanwhile: see `ensureWallet`.
 */
export async function forgetWallets(
  { db }: Pick<Runtime, 'db'>,
  before: Date,
  traces: (principalKey: string) => string,
): Promise<void> {
  const text = idle(traces('p.principal_key'));
  for (let last = ''; ; ) {
    const page = await db.many<{ principal_key: string }>(sql`
      select principal_key from principals
      where kind = 'wallet' and created_at < ${before} and principal_key > ${last}
      order by principal_key limit ${batch}`);
    const keys = page.map(({ principal_key }) => principal_key);
    await transact(db, async (tx) => deleteWallets(tx, await tx.many<Wallet>(statement(text, [keys]))));
    if (keys.length < batch) return;
    last = keys.at(-1) ?? '';
  }
}

interface Wallet {
  principal_key: string;
  account_key: string;
  grant_digest: string;
}

const idle = (traces: string) => `
  select principal_key, account_key, grant_digest from principals p join grants g using (principal_key)
  where principal_key = any($1::text[])
    and not exists (select from credentials c where c.principal_key = p.principal_key)
    and not exists (select from oauth_connections o where o.agent_key = p.principal_key)
    and not exists (select from grants join grant_usage using (grant_key) where grants.principal_key = p.principal_key)
    and not exists (select from members m where m.account_key = p.account_key)
    and not exists (select from registrations r where r.account_key = p.account_key)
    and not exists (select from account_events e where e.account_key = p.account_key)
    and not exists (select from purchase_blocks b where b.account_key = p.account_key or b.payer = p.principal_key)
    and not (${traces})
  for update of p skip locked`;

/** Foreign keys refuse what has been used since it was found; the round comes again. */
function deleteWallets(tx: Tx, wallets: Wallet[]): void {
  if (wallets.length === 0) return;
  const principals = wallets.map(({ principal_key }) => principal_key);
  tx.write(sql`delete from grants where principal_key = any(${principals}::text[])`);
  const decisions = wallets.map(({ grant_digest }) => grant_digest);
  tx.write(sql`delete from grant_decisions where grant_digest = any(${decisions}::text[])`);
  tx.write(sql`delete from principals where principal_key = any(${principals}::text[])`);
  tx.write(sql`delete from accounts where account_key = any(${wallets.map(({ account_key }) => account_key)}::text[])`);
}
