import { buyerBehind } from '../../identity/buyer-behind.ts';
import { signInExtension, walletSignedIn } from '../../identity/sign-in-with-x.ts';
import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import { PaymentRequired, Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { bodiesOf, type Kept } from '../archive/bodies.ts';
import { job } from '../contract.ts';
import { jobReply } from '../job/view.ts';
import { readCheck as operation } from '../keyless-contract.ts';

/** Where a payer reads what it bought, with a signature for each request. */
export const readUrl = (ctx: Base, jobKey: string): string => addressOf(ctx, operation, jobKey);

type Base = Pick<Context, 'baseUrl'>;

const addressOf = ({ baseUrl }: Base, { path }: { path: string }, jobKey: string): string =>
  baseUrl + path.replace('{job_key}', encodeURIComponent(jobKey));

/** Reads a job and its newest report for the wallet that signs. Strangers learn nothing of which jobs exist. */
export const readCheck: Verb<typeof operation> = async ({ ctx, input, db }) => {
  const { job_key } = input;
  const uri = readUrl(ctx, job_key);
  if (ctx.signIn === null) throw askedToSignIn(ctx, job_key);
  const wallet = await walletSignedIn(db, ctx, uri, ctx.signIn);
  const caller = await buyerBehind(db, wallet, { key: wallet, at: ctx.now });
  if (!caller) throw new Problem('not_found', 'There is no such job for this caller.');
  const { body, headers } = await jobReply(db, job_key, caller, ctx);
  const report = await db.many<Kept>(sql`
    select job_key, number, text_of(job_key, 'reports', number) as body from reports
    where job_key = ${job_key} order by number desc limit 1`);
  const [text] = await bodiesOf(db, ctx.runtime.archive, 'reports', report);
  return { body: { ...body, report: text === undefined ? null : JSON.parse(text) }, headers };
};

/** The 402 of a resource that costs nothing. */
function askedToSignIn(ctx: Context, jobKey: string): PaymentRequired {
  const uri = readUrl(ctx, jobKey);
  const body = {
    x402Version: 2,
    error:
      'Sign in with the wallet that owns the job (extension sign-in-with-x), or read ' +
      `${addressOf(ctx, job, jobKey)} with a session of it. There is nothing to pay.`,
    resource: { url: uri, description: 'A work check that was bought', mimeType: 'application/json' },
    accepts: [],
    extensions: signInExtension(ctx, uri),
  };
  const header = Buffer.from(JSON.stringify(body)).toString('base64');
  return new PaymentRequired(body, { 'PAYMENT-REQUIRED': header, 'Cache-Control': 'no-store' });
}
