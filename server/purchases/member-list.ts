import type { Queries } from '../kernel/database.ts';
import { unseal } from '../kernel/seal.ts';
import { sql } from '../kernel/sql.ts';
import type { Verb } from '../perform.ts';
import type { Runtime } from '../runtime.ts';
import * as contract from './list-contract.ts';
import { jobPage } from './lists.ts';
import { titleOf } from './title.ts';

interface AboutRow {
  job_key: string;
  quote_key: string;
  input: string | null;
  principal_key: string;
  kind: 'agent' | 'wallet';
  name: string | null;
  verdict: string | null;
}

/** The jobs of the account as people look for them: by what was asked, who bought it, and what came of it. */
export const memberPurchases: Verb<typeof contract.memberPurchases> = async (call) => {
  const { ctx, caller, db } = call;
  const { shown, next_after, headers } = await jobPage(call, ctx.baseUrl + contract.memberPurchases.path);
  const keys = shown.map(({ job_key }) => job_key);
  const about = await readAbout(db, ctx.runtime, keys, caller.accountKey);
  const purchases = shown.flatMap((job) => {
    const found = about.get(job.job_key);
    return found ? [{ job, ...found }] : [];
  });
  return { body: { purchases, next_after }, headers };
};

async function readAbout(db: Queries, { configuration }: Runtime, keys: readonly string[], accountKey: string) {
  const rows = await db.many<AboutRow>(sql`
    select jobs.job_key, quote_key, quotes.input, jobs.principal_key, p.kind, p.name, (
        select body::json ->> 'verdict' from reports
        where reports.job_key = jobs.job_key order by number desc limit 1) as verdict
    from jobs join quotes using (quote_key) join principals p on p.principal_key = jobs.principal_key
    where jobs.job_key = any(${keys}::text[]) and jobs.account_key = ${accountKey}`);
  return new Map(
    rows.map(({ job_key, quote_key, input, principal_key, kind, name, verdict }) => [
      job_key,
      {
        title:
          input === null
            ? null
            : titleIn(unseal(input, configuration.keyring, { column: 'quotes.input', row: quote_key })),
        content_deleted: input === null,
        bought_by: { agent_key: principal_key, kind, name },
        verdict,
      },
    ]),
  );
}

function titleIn(input: string): string | null {
  return titleOf((JSON.parse(input) as { request?: unknown }).request);
}
