import type { Queries } from '../kernel/database.ts';
import { sql, statement } from '../kernel/sql.ts';
import { Problem } from '../problems/problem.ts';
import { type JobRow, jobColumns } from '../purchases/job/row.ts';

export interface QuoteParts {
  quote_key: string;
  principal_key: string;
  account_key: string;
  state: string;
  price_microcents: bigint;
  created_at: Date;
  expires_at: Date;
  input: string | null;
  input_deleted_at: Date | null;
}

/** A purchase for operators: its quote, and its job once authorized. */
export interface FoundPurchase {
  quote: QuoteParts;
  job: JobRow | null;
  content_deleted: boolean;
}

const jobHeld = `select ${jobColumns} from jobs where quote_key = $1 for no key update`;
const jobSeen = `select ${jobColumns} from jobs where quote_key = $1`;

/** The purchase with this quote or job key; `held` locks it. Throws `not_found`. */
export async function findPurchase(db: Queries, key: string, { held = false } = {}): Promise<FoundPurchase> {
  const quote = await db.maybe<QuoteParts>(sql`
    select quote_key, principal_key, account_key, state, price_microcents, created_at, expires_at, input, input_deleted_at
    from quotes where quote_key = ${key} or quote_key = (select quote_key from jobs where job_key = ${key})`);
  if (!quote) throw new Problem('not_found', 'No purchase has this key.');
  const job = await db.maybe<JobRow>(statement(held ? jobHeld : jobSeen, [quote.quote_key]));
  return { quote, job: job ?? null, content_deleted: quote.input === null };
}
