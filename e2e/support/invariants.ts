import type pg from 'pg';

/** What must hold in the database whatever happened before: each statement selects the rows that break it. */
const invariants: Record<string, string> = {
  'a job has one collection at most': `
    select job_key from payments where state = 'collected' group by job_key having count(*) > 1`,
  'what is collected is in the books, once and in full': `
    select p.payment_key from payments p
    left join ledger_transfers l on l.event_key = 'collected:' || p.payment_key
    where p.state = 'collected' and (l.event_key is null or l.amount_microcents <> p.amount_microcents)`,
  'nothing is in the books that was not collected': `
    select l.event_key from ledger_transfers l left join payments p on l.event_key = 'collected:' || p.payment_key
    where l.event = 'collected' and (p.payment_key is null or p.state <> 'collected')`,
  'what is held for a job is zero or its price, as its charge says': `
    select j.job_key from jobs j left join ledger_transfers l using (job_key)
    group by j.job_key, j.charge_state, j.price_microcents
    having coalesce(sum(case when l.credit_account = 'liability:held' then l.amount_microcents
      when l.debit_account = 'liability:held' then -l.amount_microcents else 0 end), 0)
      <> case when j.charge_state = 'held' then j.price_microcents else 0 end`,
  'remedies give back no more than was collected': `
    select job_key from ledger_transfers group by job_key
    having coalesce(sum(amount_microcents) filter (where event in ('credited', 'refund_owed')), 0)
      > coalesce(sum(amount_microcents) filter (where event = 'collected'), 0)`,
  'what is owed back is a refund on its way, in the books and on the job': `
    select refund_key from refunds r join jobs using (job_key) join payments p using (payment_key)
    left join ledger_transfers l on l.event_key = 'refund_owed:' || payment_key
    where l.amount_microcents is distinct from r.amount_microcents or r.amount_microcents > p.amount_microcents
      or jobs.payment_state <> r.state`,
  'credit to spend is what the books say, and never below zero': `
    select coalesce(w.principal_key, l.principal_key) from wallet_credits w full join (
      select principal_key, sum(case when credit_account = 'liability:wallet_credit' then amount_microcents
        else -amount_microcents end) as balance
      from ledger_transfers where 'liability:wallet_credit' in (debit_account, credit_account) group by principal_key
    ) l using (principal_key)
    where w.balance_microcents is distinct from l.balance or l.balance < 0`,
  'no job works or is delivered without a collection': `
    select job_key from jobs j where state not in ('awaiting_payment', 'canceled')
      and not exists (select from payments p where p.job_key = j.job_key and p.state = 'collected')`,
  'a delivered job has the report that its digest names': `
    select job_key from jobs j where report_digest is not null
      and not exists (select from reports r where r.job_key = j.job_key and r.digest = j.report_digest)`,
  'a grant counts what its living jobs cost, day by day': `
    select u.grant_key, u.day from grant_usage u
    left join jobs j on j.grant_key = u.grant_key and j.authorized_on = u.day
      and j.state not in ('canceled', 'failed', 'waived')
    group by u.grant_key, u.day, u.used_microcents
    having coalesce(sum(j.price_microcents), 0) <> u.used_microcents`,
  'no day passes its limit': `
    select grant_key from grant_usage join grants using (grant_key) where used_microcents > daily_limit_microcents`,
  'the audit of a purchase is an unbroken chain': `
    select purchase_key, sequence from (
      select *, lag(hash) over w as hash_before, row_number() over w as place from audit_rows
      window w as (partition by purchase_key order by sequence)) rows
    where previous_hash is distinct from hash_before or sequence <> place
      or hash <> encode(sha256(convert_to(concat_ws(E'\\x1f', purchase_key, sequence, extract(epoch from at), actor,
        action, state_from, state_to, previous_hash), 'UTF8')), 'hex')`,
  'the state of a job is the last one in its audit': `
    select j.job_key from jobs j where j.state <> (
      select state_to from audit_rows a where a.purchase_key = j.quote_key order by sequence desc limit 1)`,
  'receipts of a job are numbered without a gap, and each change has one': `
    select j.job_key from jobs j left join receipts r using (job_key) group by j.job_key, j.collected_at
    having count(r.sequence) <> coalesce(max(r.sequence), 0) or (j.collected_at is not null) <> (count(r.sequence) > 0)`,
  'no payment is open on a job that is not waiting for one': `
    select payment_key from payments join jobs using (job_key)
    where payments.state in ('settling', 'unknown') and jobs.state <> 'awaiting_payment'`,
};

/** The invariants that do not hold, by name, with the keys at fault. Empty when all is well. */
export async function brokenInvariants(pool: pg.Pool): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, statement] of Object.entries(invariants)) {
    const { rows } = await pool.query(statement);
    if (rows.length > 0) broken.push(`${name}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return broken;
}
