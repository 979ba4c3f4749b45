import type { ProblemCode } from '@/server/problems/catalogue.ts';

/** Where the forms of a report's page lead: back to it, with the problem if any. */
export function reportOf(_: URLSearchParams, refused: ProblemCode | null, { job_key }: Record<string, string>) {
  const page = `/reports/${job_key}`;
  return refused === null ? page : { page, notice: refused };
}
