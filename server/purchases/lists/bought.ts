import type { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.ts';
import { principalsNamed } from '../../identity/agents.ts';
import type { Queries } from '../../kernel/database.ts';
import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import type { Runtime } from '../../runtime.ts';
import * as contract from '../list-contract.ts';
import { quoteTitle } from '../quote/quote-title.ts';
import { jobPage } from './lists.ts';

type Filters = Omit<z.output<typeof contract.bought.input>, 'after' | 'limit'>;

interface AboutRow {
  job_key: string;
  quote_key: string;
  input: string | null;
  principal_key: string;
  verdict: string | null;
}

/** Jobs as people look for them: by request, buyer and result. */
export const bought: Verb<typeof contract.bought> = async (call) => {
  const { ctx, caller, db, input } = call;
  const { after: _, limit: __, ...filters } = input;
  const query = new URLSearchParams(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const address = `${ctx.baseUrl}${contract.bought.path}${query.size > 0 ? `?${query}` : ''}`;
  const { shown, next_after, headers } = await jobPage(call, address, only(filters));
  const keys = shown.map(({ job_key }) => job_key);
  const about = await readAbout(db, ctx.runtime, keys, caller.accountKey);
  const purchases = shown.flatMap((job) => {
    const found = about.get(job.job_key);
    return found ? [{ job, ...found }] : [];
  });
  return { body: { purchases, next_after }, headers };
};

/** The filters as Prisma has them. */
function only({ agent_key, rail, verdict, waits_for }: Filters): Prisma.JobWhereInput {
  return {
    ...(agent_key === undefined ? {} : { principalKey: agent_key }),
    ...(rail === undefined ? {} : { lastRail: rail }),
    ...(verdict === undefined ? {} : { lastVerdict: verdict }),
    ...(waits_for === undefined ? {} : { reviewState: { in: ['open', 'overdue'] } }),
  };
}

/** What lists say of jobs, by key; only of this account's. */
export async function readAbout(db: Queries, { configuration }: Runtime, keys: readonly string[], accountKey: string) {
  const rows = await db.many<AboutRow>(sql`
    select jobs.job_key, quote_key, quotes.input, jobs.principal_key, (
        select reports.verdict from reports
        where reports.job_key = jobs.job_key order by number desc limit 1) as verdict
    from jobs join quotes using (quote_key)
    where jobs.job_key = any(${keys}::text[]) and jobs.account_key = ${accountKey}`);
  const buyers = await principalsNamed(db, [...new Set(rows.map(({ principal_key }) => principal_key))]);
  return new Map(
    rows.flatMap(({ job_key, quote_key, input, principal_key, verdict }) => {
      const buyer = buyers.get(principal_key);
      if (!buyer) return [];
      const title = quoteTitle(input, quote_key, configuration.keyring);
      const bought_by = { agent_key: principal_key, ...buyer };
      return [[job_key, { title, content_deleted: input === null, bought_by, verdict }]];
    }),
  );
}
