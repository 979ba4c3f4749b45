import { principalNamed } from '../../identity/agents.ts';
import { after } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { seconds } from '../../service/terms.ts';
import { keptSources } from '../../sources/sources.ts';
import { CheckRequest, type EvidenceEntry, evidenceTexts } from '../../work-check/contract.ts';
import type * as contract from '../contract.ts';

interface SuppliedRow {
  account_key: string;
  principal_key: string;
  created_at: Date;
  quote_key: string;
  input: string | null;
  input_deleted_at: Date | null;
  evidence: EvidenceEntry[];
}

/** What was supplied and retrieved, to read statements and citations in place. */
export const evidence: Verb<typeof contract.evidence> = async ({ ctx, caller, input, db }) => ({
  body: await readEvidence(db, ctx, input.job_key, caller),
});

/** Work and evidence of a caller's job, without deleted texts. Throws `not_found`. */
export async function readEvidence(
  db: Queries,
  { runtime }: Pick<Context, 'runtime'>,
  jobKey: string,
  caller: Buyer | Member,
): Promise<contract.Evidence> {
  const { principalKey, accountKey } = ownedBy(caller);
  const row = await db.maybe<SuppliedRow>(sql`
    select jobs.account_key, jobs.principal_key, jobs.created_at, quote_key, quotes.input,
      quotes.input_deleted_at, quotes.evidence
    from jobs join quotes using (quote_key)
    where job_key = ${jobKey} and (jobs.principal_key = ${principalKey} or jobs.account_key = ${accountKey})`);
  if (!row) throw new Problem('not_found', 'There is no such job for this caller.');
  const input =
    row.input === null
      ? null
      : unseal(row.input, runtime.configuration.keyring, { column: 'quotes.input', row: row.quote_key });
  const request = input === null ? null : CheckRequest.parse(JSON.parse(input));
  const texts = request && evidenceTexts(request);
  const [buyer, documents] = await Promise.all([
    principalNamed(db, row.principal_key),
    keptSources(db, runtime.configuration, row.account_key, request?.context?.refs ?? []),
  ]);
  // Payment grants no access to sources: agents read them while their grant covers them.
  const mayRead = caller.kind === 'member' || caller.grant.governed_refs;
  return {
    job_key: jobKey,
    delete_after: after(row.created_at, seconds.retention).toISOString(),
    deleted_at: row.input_deleted_at?.toISOString() ?? null,
    bought_by: { agent_key: row.principal_key, kind: buyer.kind, name: buyer.name },
    submitted: request && {
      request: request.request ?? null,
      criteria: request.criteria ?? [],
      work_product: request.work_product,
    },
    items: [
      ...row.evidence.map((item, index) => ({ ...item, text: texts?.[index] ?? null })),
      ...documents.map((document, index) => ({
        ref: `retrieved/${index}`,
        ...document,
        text: mayRead ? document.text : null,
      })),
    ],
  };
}
