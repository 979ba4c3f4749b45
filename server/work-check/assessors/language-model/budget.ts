import type { AssessorModel } from '../../../configuration/assessor.ts';

/** What one call took, as its provider counts it. */
export type Usage = { input: number; cacheRead: number; cacheWrite: number; output: number };

/** What a whole check took of one model; `microcents` is null when its price is not configured. */
export type Spent = { model: string; calls: number; tokens: number; microcents: number | null };

/** A part of the purse set aside for one call. */
export type Reservation = {
  /** The longest answer that is paid for, in tokens. */
  outputMax: number;
  /** Puts back what the call did not take. A call that failed keeps its reservation: the provider may bill it. */
  settle: (usage: Usage) => void;
};

export type Purse = {
  /** Undefined when what is left pays for no useful answer. */
  reserve: (settings: AssessorModel, input: number, outputMin: number) => Reservation | undefined;
  spent: () => Spent[];
};

const OUTPUT_TOKENS_MAX = 8_000;
const PER_MILLION = 1_000_000;
/** What Anthropic asks for writing to its prompt cache for five minutes, as a multiple of plain input. */
const CACHE_WRITE = 1.25;

/** Cost of a call in microcents, rounded up. Prices are microcents for a million tokens. */
export function costOf({ price }: AssessorModel, { input, cacheRead, cacheWrite, output }: Usage): number {
  if (price === undefined) return 0;
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  const total = (plain + cacheWrite * CACHE_WRITE) * price.input + cacheRead * price.cached + output * price.output;
  return Math.ceil(total / PER_MILLION);
}

/**
 * What one check may take: `tokensMax` of each model, and `budgetMicrocents` of all together. Calls may be under way at
 * the same time: each sets aside the most it can cost before it is made.
 */
export function openPurse(panel: readonly AssessorModel[]): Purse {
  const caps = panel.flatMap(({ budgetMicrocents }) => budgetMicrocents ?? []);
  let left = caps.length > 0 ? Math.min(...caps) : Number.POSITIVE_INFINITY;
  const books = new Map(panel.map((settings) => [settings, { tokens: 0, calls: 0, microcents: 0 }]));
  return {
    reserve(settings, input, outputMin) {
      const book = books.get(settings);
      if (book === undefined) throw new RangeError('The purse knows only the models of its panel.');
      const { price } = settings;
      const inputCost = costOf(settings, { input, cacheRead: 0, cacheWrite: input, output: 0 });
      const paidFor =
        price === undefined || price.output === 0 || left === Number.POSITIVE_INFINITY
          ? OUTPUT_TOKENS_MAX
          : Math.floor(((left - inputCost) * PER_MILLION) / price.output);
      const outputMax = Math.min(OUTPUT_TOKENS_MAX, settings.tokensMax - book.tokens - input, paidFor);
      if (outputMax < outputMin || inputCost > left) return undefined;
      const aside = costOf(settings, { input, cacheRead: 0, cacheWrite: input, output: outputMax });
      book.calls += 1;
      book.tokens += input + outputMax;
      book.microcents += aside;
      left -= aside;
      return {
        outputMax,
        settle: (usage) => {
          const cost = costOf(settings, usage);
          book.tokens += usage.input + usage.output - input - outputMax;
          book.microcents += cost - aside;
          left += aside - cost;
        },
      };
    },
    spent: () =>
      [...books].map(([{ model, price }, { calls, tokens, microcents }]) => ({
        model,
        calls,
        tokens,
        microcents: price === undefined ? null : microcents,
      })),
  };
}
