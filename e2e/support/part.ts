/** Which piece of a long trial this run is: the `number`th, from 1, of so many. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

/**
 * The piece that `TRIAL_PART` asks for, written as `3/20`; without it the whole. A long trial runs in pieces where one
 * run would take too long: each does its share of the rounds, with inputs of its own.
 */
export function chosenPart(text = process.env.TRIAL_PART): Part {
  if (!text) return { number: 1, of: 1 };
  const [, number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (number < 1 || number > of) throw new Error(`TRIAL_PART is "${text}"; "3/20" is the third of twenty pieces.`);
  return { number, of };
}

/** How many of `rounds` fall to a piece. */
export function shareOf(rounds: number, { of }: Part): number {
  return Math.ceil(rounds / of);
}
