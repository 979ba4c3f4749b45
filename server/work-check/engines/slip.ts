/** Fewer digits differ by chance. */
const EXCHANGED_DIGITS_MIN = 3;
const OTHER_DIGITS_MIN = 4;

/**
 * Whether a figure is another one as those who type get it wrong: two neighbouring digits exchanged, or one digit that is
 * another. Two figures that differ so are meant to be the same; others may be of two things, in two units or of two signs.
 */
export function isSlip(claimed: number, known: number): boolean {
  const [a, b] = [printed(claimed), printed(known)];
  if (a.length !== b.length || Math.sign(claimed) !== Math.sign(known)) return false;
  const digits = Math.max(significant(a), significant(b));
  const apart = [...a].flatMap((digit, at) => (digit === b[at] ? [] : [at]));
  const [first = 0, second = 0] = apart;
  if (apart.length === 1) return digits >= OTHER_DIGITS_MIN;
  const isExchanged = apart.length === 2 && second === first + 1 && a[first] === b[second] && a[second] === b[first];
  return isExchanged && digits >= EXCHANGED_DIGITS_MIN;
}

const printed = (value: number): string => Math.abs(value).toFixed(2).replace('.', '');

/** The digits from the first that is no zero to the last. */
const significant = (digits: string): number => digits.replace(/^0+/, '').replace(/0+$/, '').length;
