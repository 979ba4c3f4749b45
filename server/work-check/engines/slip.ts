/** Fewer digits differ by chance. */
const EXCHANGED_DIGITS_MIN = 3;
const OTHER_DIGITS_MIN = 4;

/**
 * Whether a figure is another one as those who type get it wrong: two neighbouring digits exchanged, one digit that is
 * another, or the decimal point moved. Two figures that differ so are meant to be the same; others may be of two things.
 */
export function isSlip(claimed: number, known: number): boolean {
  const [one, other] = [digitsOf(claimed), digitsOf(known)];
  if (one === other) return one !== '' && claimed !== known;
  const [a, b] = [printed(claimed), printed(known)];
  if (a.length !== b.length) return false;
  const length = Math.max(one.length, other.length);
  const apart = [...a].flatMap((digit, at) => (digit === b[at] ? [] : [at]));
  const [first = 0, second = 0] = apart;
  if (apart.length === 1) return length >= OTHER_DIGITS_MIN;
  const isExchanged = apart.length === 2 && second === first + 1 && a[first] === b[second] && a[second] === b[first];
  return isExchanged && length >= EXCHANGED_DIGITS_MIN;
}

const printed = (value: number): string => Math.abs(value).toFixed(2).replace('.', '');

/** The digits of a figure from the first that is no zero to the last. */
const digitsOf = (value: number): string => printed(value).replace(/^0+/, '').replace(/0+$/, '');
