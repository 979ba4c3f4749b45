import { ownedBy } from '../identity/caller.ts';
import { after } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../perform.ts';
import { retentionDays } from '../service/terms.ts';
import { CheckRequest, type EvidenceEntry, evidenceTexts } from '../work-check/contract.ts';
import type * as contract from './contract.ts';

const daySeconds = 86_400;

interface SuppliedRow {
  created_at: Date;
  input: string | null;
  input_deleted_at: Date | null;
  evidence: EvidenceEntry[];
}

/** What was supplied, so that a citation can be read beside the passage it names. */
export const evidence: Verb<typeof contract.evidence> = async ({ caller, input, db }) => {
  const { principalKey, accountKey } = ownedBy(caller);
  const row = await db.maybe<SuppliedRow>(sql`
    select jobs.created_at, quotes.input, quotes.input_deleted_at, quotes.evidence
    from jobs join quotes using (quote_key)
    where job_key = ${input.job_key} and (jobs.principal_key = ${principalKey} or jobs.account_key = ${accountKey})`);
  if (!row) throw new Problem('not_found', 'There is no such job for this caller.');
  const texts = row.input === null ? null : evidenceTexts(CheckRequest.parse(JSON.parse(row.input)));
  return {
    body: {
      job_key: input.job_key,
      delete_after: after(row.created_at, retentionDays * daySeconds).toISOString(),
      deleted_at: row.input_deleted_at?.toISOString() ?? null,
      items: row.evidence.map((item, index) => ({ ...item, text: texts?.[index] ?? null })),
    },
  };
};
