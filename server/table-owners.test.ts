import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverTexts, type Text, textsOf } from '../e2e/support/source-texts.ts';

/**
 * Each table belongs to a room. Other rooms reach its rows through that room, by a function or an exported SQL
 * fragment; otherwise a statement would depend on a room without an import that shows it.
 */
const tablesOf = {
  kernel:
    'secret_keys transaction_numbers idempotency_claims idempotency_answers idempotency_requests rate_counts audit_rows audit_ends audit_steps',
  console: 'operator_acts operator_views audit_seals finding_labels hourly_figures hours_counted',
  ledger: 'ledger_transfers ledger_closings ledger_left wallet_credits job_holdings archived_credit',
  mail: 'letters due_letters',
  payments:
    'payments x402_payments x402_transfers chain_transfers refunds reversals searched_chains ' +
    'card_accounts card_payments card_charges card_disputes card_customers saved_cards card_uses card_events card_searches ' +
    'reconciliation_differences',
  sources: 'sources',
  availability: 'switches switch_changes incidents incident_updates',
  identity:
    'accounts members invitations sign_in_links member_sessions principals credentials registrations account_events ' +
    'billing_details purchase_blocks wallet_challenges grant_decisions grants grant_usage operators oauth_records oauth_connections',
  purchases:
    'quotes approvals unpaid_content jobs job_texts reports reviews dispute_texts receipts receipt_numbers ' +
    'receipt_number_gaps receipt_keys webhook_endpoints archive_manifests archived_jobs archived_audit archived_ledger worker_presence',
} as const;
type Room = keyof typeof tablesOf;

const ownerOf = new Map(
  (Object.entries(tablesOf) as [Room, string][]).flatMap(([room, names]) =>
    names.split(' ').map((name) => [name, room]),
  ),
);

/**
 * Money moves with its job in one statement, so these rooms name each other's tables. What a job holds of its grant's
 * room moves with the grant, below purchases.
 */
const mayName: Partial<Record<string, readonly Room[]>> = {
  purchases: ['payments', 'ledger'],
  payments: ['purchases', 'ledger'],
  'held.ts': ['purchases'],
};

/** Operators' reads and health checks span all rooms. */
const exempt = [/^server\/console\//, /\/unsettled\.ts$/, /^server\/transports\/health\.ts$/];

/** Who writes rows of another room. Rails return facts: jobs are written by purchases alone. */
const mayWrite: Partial<Record<string, readonly Room[]>> = {
  console: ['payments', 'availability'],
  purchases: ['payments'],
  payments: ['ledger'],
  'held.ts': ['purchases'],
};

/** The tables of other rooms that a text writes to. */
function writtenIn({ file, text }: Text): string[] {
  const room = file.split('/')[1] ?? '';
  const named = [...text.matchAll(/\b(?:insert\s+into|update|delete\s+from|merge\s+into)\s+([a-z_0-9]+)/g)];
  return [...new Set(named.map(([, name = '']) => name))].flatMap((name) => {
    const owner = ownerOf.get(name);
    if (!owner || owner === room || owner === 'kernel' || mayWrite[room]?.includes(owner)) return [];
    return [`${file} writes ${name} of ${owner}`];
  });
}

/** The tables of other rooms named in a text. */
function foreignIn({ file, text }: Text): string[] {
  const room = file.split('/')[1] ?? '';
  if (exempt.some((pattern) => pattern.test(file))) return [];
  const named = [...text.matchAll(/\b(?:from|join|into|update)\s+([a-z_0-9]+)/g)].map(([, name = '']) => name);
  return [...new Set(named)].flatMap((name) => {
    const owner = ownerOf.get(name);
    // Every room may use the kernel's tables.
    if (!owner || owner === room || owner === 'kernel' || mayName[room]?.includes(owner)) return [];
    return [`${file} names ${name} of ${owner}`];
  });
}

describe('a table', () => {
  it('is named by its own room only', () => {
    expect(serverTexts.flatMap(foreignIn)).toEqual([]);
  });

  it('is written to by its own room only', () => {
    expect(serverTexts.flatMap(writtenIn)).toEqual([]);
    const planted =
      "sql`with taken as (update jobs set payment_state = 'processing') insert into payments (a) select 1`";
    expect(textsOf('server/payments/card/attempt.ts', planted).flatMap(writtenIn)).toEqual([
      'server/payments/card/attempt.ts writes jobs of purchases',
    ]);
  });

  it('has an owner', () => {
    const schema = readFileSync(path.resolve(import.meta.dirname, '../prisma/schema.prisma'), 'utf8');
    const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name);
    expect(tables.length).toBeGreaterThan(25);
    expect(tables.filter((name) => name && !ownerOf.has(name))).toEqual([]);
  });

  it.each([
    ['server/purchases/pay.ts', 'sql`select 1 from jobs join grants using (grant_key)`', 'grants of identity'],
    ['server/identity/me.ts', "statement('update jobs set percent = 1', [])", 'jobs of purchases'],
    [
      'server/kernel/seal.ts',
      'const part = `exists (select from registrations r where key = $1)`',
      'registrations of identity',
    ],
  ])('is noticed in %s: %s', (file, planted, found) => {
    expect(textsOf(file, planted).flatMap(foreignIn)).toEqual([`${file} names ${found}`]);
  });
});
