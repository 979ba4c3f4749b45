import { createHmac, randomBytes } from 'node:crypto';

/** Chance that a seed repeats: what fences, orders and controls are drawn from, so that a recorded answer fits again. */
export type Chance = {
  /** A whole number from 0 to one below `limit`. */
  below: (limit: number) => number;
  hex: (characters: number) => string;
  /** In a random order (Fisher and Yates). */
  shuffled: <T>(items: readonly T[]) => T[];
};

const WORD_BYTES = 6;

/**
 * Draws from HMAC-SHA-256 of a counter under the seed. Whoever does not know the seed, such as a buyer, cannot foresee a
 * fence; the server makes it of its own secret, the job and the round.
 */
export function chanceFrom(seed: string = randomBytes(32).toString('hex')): Chance {
  let count = 0;
  const draw = (): Buffer => {
    count += 1;
    return createHmac('sha256', seed).update(String(count)).digest();
  };
  const below = (limit: number): number => draw().readUIntBE(0, WORD_BYTES) % Math.max(1, limit);
  return {
    below,
    hex: (characters) => draw().toString('hex').slice(0, characters),
    shuffled: (items) => {
      const mixed = [...items];
      for (let at = mixed.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        const [one, two] = [mixed[at], mixed[other]];
        if (one !== undefined && two !== undefined) [mixed[at], mixed[other]] = [two, one];
      }
      return mixed;
    },
  };
}
