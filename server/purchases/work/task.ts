import { unseal } from '../../kernel/seal.ts';
import { sql } from '../../kernel/sql.ts';
import type { Runtime } from '../../runtime.ts';
import type { CheckOptions } from '../../work-check/check.ts';
import type { CheckRequest } from '../../work-check/contract.ts';
import type { JobRow } from '../job/row.ts';
import type { DisputeTexts } from '../review/review.ts';

/** What a job has to do. */
export interface Task {
  request: CheckRequest;
  /** The review window of the terms that the buyer accepted. */
  reviewSeconds: number;
  /** For a re-check: what was disputed, and why. */
  previous: CheckOptions['previous'];
}

/** The task of a job; undefined once its content was deleted. */
export async function taskOf({ db, configuration }: Runtime, job: JobRow): Promise<Task | undefined> {
  const row = await db.one<{
    input: string | null;
    review_seconds: number;
    review_key: string | null;
    report: string | null;
    reason: string | null;
    texts: string | null;
  }>(sql`
    select quotes.input, quotes.review_seconds, review_key, text_of(reports.job_key, 'reports', reports.number) as report, reviews.reason, texts.texts
    from quotes
    left join reviews on reviews.job_key = ${job.job_key} and reviews.decision = 'dispute'
    left join dispute_texts texts using (review_key)
    left join reports on reports.job_key = reviews.job_key and reports.number = reviews.report_number
    where quote_key = ${job.quote_key}`);
  if (row.input === null) return undefined;
  const { keyring } = configuration;
  const request: CheckRequest = JSON.parse(unseal(row.input, keyring, { column: 'quotes.input', row: job.quote_key }));
  const reviewSeconds = row.review_seconds;
  if (row.report === null || row.reason === null) return { request, reviewSeconds, previous: undefined };
  const texts: DisputeTexts =
    row.texts === null || row.review_key === null
      ? {}
      : JSON.parse(unseal(row.texts, keyring, { column: 'dispute_texts.texts', row: row.review_key }));
  const wishes = texts.correction_request ?? request.correction_request;
  return {
    request,
    reviewSeconds,
    previous: {
      report: JSON.parse(row.report),
      reason: row.reason,
      // The buyer's words go only to the assessor: reports outlive content.
      correction_request: texts.detail === undefined ? wishes : { ...wishes, detail: texts.detail },
    },
  };
}
