import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { evidenceOf } from '../material-trial.ts';
import { readWork } from '../statements.ts';
import { findReplaced } from './replaced.ts';

/** What the evidence puts in place of the figures of a work. */
function replaced(work: JsonValue, ...texts: string[]): string[] {
  const index = evidenceOf(...texts);
  return readWork(work).statements.flatMap((statement) => {
    const found = findReplaced(statement, index);
    return found === undefined ? [] : [`${found.claimed} → ${found.known}`];
  });
}

const order = 'We book for 45 guests, start at 18:30.';
const change = 'We have 38 guests now instead of 45.';

describe('a figure that the evidence replaces', () => {
  it.each<[string, JsonValue, string[], string[]]>([
    ['a count in a field', { guests: 45 }, [order, change], ['45 → 38']],
    ['a count in a sentence', 'The booking is for 45 guests.', [order, change], ['45 → 38']],
    ['an hour', { start: '18:30' }, [order, 'The start was moved from 18:30 to 19:00.'], ['18:30 → 19:00']],
    [
      'an hour that was asked for and granted',
      { start: '18:30' },
      [order, 'Please move the start from 18:30 to 19:00.', '19:00 is fine.'],
      ['18:30 → 19:00'],
    ],
  ])('%s', (_, work, texts, expected) => {
    expect(replaced(work, ...texts)).toEqual(expected);
  });
});

describe('no figure is replaced', () => {
  it.each<[string, JsonValue, string[]]>([
    ['by the one that the work gives', { guests: 38 }, [order, change]],
    ['in a field of the former value', { original_guests: 45 }, [order, change]],
    ['in a sentence that tells both', 'They now expect 38 guests instead of 45.', [order, change]],
    ['of another thing', { chairs: 45 }, [order, change]],
    ['by what was only asked for', { start: '18:30' }, [order, 'Can we move the start from 18:30 to 19:00?']],
    [
      'by what was asked for and refused',
      { start: '18:30' },
      [order, 'Please move the start from 18:30 to 19:00.', '19:00 is not possible.'],
    ],
    ['when it is put back', { guests: 45 }, [order, change, 'All came after all: 45 guests.']],
    ['by a rise between two times', { orders: 40 }, ['Orders rose from 40 to 48 in May.']],
    ['by opening hours', { opens: '09:00' }, ['The shop opens from 09:00 to 18:30.']],
  ])('%s', (_, work, texts) => {
    expect(replaced(work, ...texts)).toEqual([]);
  });
});
