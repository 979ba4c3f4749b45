import type { Configuration } from '../../configuration.ts';
import { outsideGrant } from '../../identity/grant.ts';
import type { Queries } from '../../kernel/database.ts';
import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import type { Buyer } from '../../operation/caller.ts';
import { Problem } from '../../problems/problem.ts';
import { retrieveSources } from '../../sources/sources.ts';
import type { CheckRequest } from '../../work-check/contract.ts';

/**
 * Refuses what names governed sources that the account lacks or the grant does not cover.
 *
 * @throws {Problem} `grant_scope_missing`, `source_unavailable`
 */
export async function requireSources(
  tx: Queries,
  configuration: Pick<Configuration, 'keyring'>,
  { grant, principalKey }: Buyer,
  refs: readonly string[],
): Promise<void> {
  if (refs.length === 0) return;
  if (!grant.governed_refs) throw outsideGrant('The grant does not let the agent share governed sources.');
  const found = new Set((await retrieveSources(tx, configuration, principalKey, refs)).map(({ ref }) => ref));
  const errors = refs.flatMap((ref, index) =>
    found.has(ref)
      ? []
      : [
          {
            pointer: `/context/refs/${index}`,
            code: 'source_unavailable',
            detail: 'The account holds no such source.',
          },
        ],
  );
  if (errors.length > 0) {
    throw new Problem('source_unavailable', `${errors.length} of ${refs.length} governed sources do not exist.`, {
      errors,
    });
  }
}

/** The same for a quote, before money moves: the check would fail without them. */
export async function requireSourcesOf(
  db: Queries,
  configuration: Pick<Configuration, 'keyring'>,
  buyer: Buyer,
  quoteKey: string,
): Promise<void> {
  const quote = await db.maybe<{ input: string | null }>(sql`
    select input from quotes where quote_key = ${quoteKey}
      and planned_checks @> '[{"check": "source_corroboration", "will_run": true}]'`);
  if (!quote?.input) return;
  const text = unseal(quote.input, configuration.keyring, { column: 'quotes.input', row: quoteKey });
  const { context }: CheckRequest = JSON.parse(text);
  await requireSources(db, configuration, buyer, context?.refs ?? []);
}
