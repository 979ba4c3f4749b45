import { canonicalJson } from '../kernel/json-value.ts';
import { assessedEntries, type CheckRequest } from './contract.ts';

/** Something that a finding answers. */
export type Entry = { label: string; from: 'criteria' | 'rubric' | 'request' | 'work' };

export const WORK_ENTRY = "The work's statements agree with the evidence";

/**
 * What the report owes a finding: each criterion and rubric entry; the request whenever there are no criteria; without
 * any of them, the work itself against the evidence.
 */
export function entriesOf(request: CheckRequest): Entry[] {
  const stated: Entry[] = assessedEntries(request);
  if ((request.criteria ?? []).length === 0 && request.request !== undefined)
    stated.push({ label: requestText(request), from: 'request' });
  return stated.length > 0 ? stated : [{ label: WORK_ENTRY, from: 'work' }];
}

/** The request as text; an object in RFC 8785 form. */
export function requestText(request: CheckRequest): string {
  if (request.request === undefined) return '';
  return typeof request.request === 'string' ? request.request.trim() : canonicalJson(request.request);
}
