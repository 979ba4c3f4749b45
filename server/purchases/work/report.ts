import { sql } from '../../kernel/sql.ts';
import { ownedBy } from '../../operation/caller.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { summaryView } from '../../work-check/view.ts';
import { bodiesOf, type Kept } from '../archive/bodies.ts';
import * as contract from '../contract.ts';
import { loadJob } from '../job/load.ts';
import { notAllowed, stateAt } from '../job/row.ts';
import { isEnded } from '../states.ts';

/** Where the whole report stands. */
const wholeAt = (jobKey: string, digest: string): string =>
  `${contract.report.path.replace('{job_key}', jobKey)}?${new URLSearchParams({ report_digest: digest, view: 'whole' })}`;

/** The delivered report: the newest, or the one with the requested digest. */
export const report: Verb<typeof contract.report> = async ({ ctx, caller, input, db }) => {
  const { principalKey, accountKey } = ownedBy(caller);
  const wanted = input.report_digest ?? null;
  const row = await db.maybe<Kept & { digest: string }>(sql`
    select job_key, number, text_of(job_key, 'reports', number) as body, reports.digest
    from reports join jobs using (job_key)
    where job_key = ${input.job_key} and (jobs.principal_key = ${principalKey} or jobs.account_key = ${accountKey})
      and (${wanted}::text is null or reports.digest = ${wanted})
    order by number desc limit 1`);
  const headers = { 'X-Report-Digest': row?.digest ?? '' };
  if (row) {
    const [text = ''] = await bodiesOf(db, ctx.runtime.archive, 'reports', [row]);
    if (input.view !== 'summary') return { text, headers };
    return { body: summaryView(JSON.parse(text), wholeAt(input.job_key, row.digest)), headers };
  }
  const job = await loadJob(db, input.job_key, caller);
  if (job.report_digest) throw new Problem('not_found', 'This job has no report with that digest.');
  const state = stateAt(job, ctx.now);
  if (isEnded(state)) throw notAllowed(`The job is ${state}; there will be no report.`);
  throw new Problem('report_not_ready', `The job is ${state.replace('_', ' ')}; there is no report yet.`, {
    headers: { 'Retry-After': '1' },
  });
};
