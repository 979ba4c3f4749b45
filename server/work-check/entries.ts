import { assessedEntries, type CheckRequest } from './contract.ts';
import { canonicalJson } from './json-value.ts';

/** Something that a finding answers. */
export type Entry = { label: string; from: 'criteria' | 'rubric' | 'request' | 'work' };

export const WORK_ENTRY = "The work's statements agree with the evidence";

/**
 * What the report owes a finding: each criterion and rubric entry; without any, the request; without that too, the
 * work itself against the evidence.
 */
export function entriesOf(request: CheckRequest): Entry[] {
  const stated = assessedEntries(request);
  if (stated.length > 0) return stated;
  if (request.request !== undefined) return [{ label: requestText(request), from: 'request' }];
  return [{ label: WORK_ENTRY, from: 'work' }];
}

/** The request as text; an object in RFC 8785 form. */
export function requestText(request: CheckRequest): string {
  if (request.request === undefined) return '';
  return typeof request.request === 'string' ? request.request.trim() : canonicalJson(request.request);
}
