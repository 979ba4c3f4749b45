import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import type { Verb } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import { keptSources } from '../../sources/sources.ts';
import { CheckRequest } from '../../work-check/contract.ts';
import { bodiesOf, type Kept } from '../archive/bodies.ts';
import type { bundle as operation } from '../bundle-contract.ts';
import { loadJob } from '../job/load.ts';
import { purchase } from '../quote/quote.ts';
import { receiptChain } from './receipt.ts';

/** All of a purchase that the service still has, in one file. Without the content nothing could be checked again. */
export const bundle: Verb<typeof operation> = async ({ ctx, caller, input, db }) => {
  const { configuration } = ctx.runtime;
  const { quote_key } = await loadJob(db, input.job_key, caller);
  const { sealed } = await db.one<{ sealed: string | null }>(sql`
    select input as sealed from quotes where quote_key = ${quote_key}`);
  if (sealed === null) {
    throw new Problem(
      'action_not_allowed',
      'The submitted content was deleted, so this purchase cannot be checked again.',
    );
  }
  const request = CheckRequest.parse(
    JSON.parse(unseal(sealed, configuration.keyring, { column: 'quotes.input', row: quote_key })),
  );
  const refs = request.context?.refs ?? [];
  const [offer, chain, documents, reports] = await Promise.all([
    purchase({ ctx, caller, input: { quote_key }, db }),
    receiptChain({ ctx, caller, input, db }),
    keptSources(db, configuration, caller.accountKey, refs),
    db.many<Kept>(sql`
      select job_key, number, text_of(job_key, 'reports', number) as body from reports
      where job_key = ${input.job_key} order by number`),
  ]);
  const texts = await bodiesOf(db, ctx.runtime.archive, 'reports', reports);
  if (!('body' in offer && 'body' in chain)) throw new Error('quotes and receipts have bodies');
  return {
    body: {
      bundle_version: '1',
      offer: offer.body,
      ...chain.body,
      request,
      retrieved: documents.flatMap(({ source, text, observed_at }, index) =>
        text === null ? [] : [{ ref: refs[index] ?? '', source, text, observed_at }],
      ),
      reports: texts.map((text) => JSON.parse(text)),
    },
  };
};
