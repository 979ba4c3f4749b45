/** Months and weekdays by their names in the languages that works and evidence come in, from the runtime's own tables. */

const LOCALES = 'en de fr es it pt nl da sv nb fi pl cs sk hu ro hr sl tr'.split(' ');
export const ROMAN = 'i ii iii iv v vi vii viii ix x xi xii'.split(' ');
const LETTERS = /\p{L}{3}/u;

/** The numbers of months by their names and short names, in numerals of registers ("9.ix.31"), too. */
export const months: ReadonlyMap<string, ReadonlySet<number>> = monthWords();

function monthWords(): Map<string, Set<number>> {
  const known = new Map<string, Set<number>>();
  const learn = (word: string, month: number): void => {
    known.set(word, (known.get(word) ?? new Set()).add(month));
  };
  for (const locale of LOCALES)
    for (const form of ['long', 'short'] as const)
      for (const withDay of [{}, { day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(locale, { month: form, timeZone: 'UTC', ...withDay });
        for (let month = 0; month < ROMAN.length; month += 1) {
          const word = format.formatToParts(Date.UTC(2001, month, 1)).find(({ type }) => type === 'month')?.value ?? '';
          if (LETTERS.test(word)) learn(word.toLowerCase().replace(/\.$/, ''), month + 1);
        }
      }
  for (const [at, word] of ROMAN.entries()) learn(word, at + 1);
  return known;
}

/** 7 January 2001 was a Sunday. */
const SUNDAY = 7;
const WEEK = 7;

/** The numbers of weekdays (0 is Sunday) by their names and short names of three letters; none that means two days. */
const weekdays: ReadonlyMap<string, number> = weekdayWords();

function weekdayWords(): Map<string, number> {
  const known = new Map<string, number>([
    ['tues', 2],
    ['thur', 4],
    ['thurs', 4],
  ]);
  const twice = new Set<string>();
  for (const locale of LOCALES)
    for (const weekday of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
      for (let day = 0; day < WEEK; day += 1) {
        const name = format
          .format(Date.UTC(2001, 0, SUNDAY + day))
          .toLowerCase()
          .replace(/\.$/, '');
        if (known.has(name) && known.get(name) !== day) twice.add(name);
        if (LETTERS.test(name)) known.set(name, day);
      }
    }
  for (const name of twice) known.delete(name);
  return known;
}

/** The weekday that a word names, also as "Thursdays"; 0 is Sunday. */
export const weekdayOf = (word: string): number | undefined =>
  weekdays.get(word.toLowerCase()) ?? weekdays.get(word.toLowerCase().replace(/s$/, ''));
