import type { Token } from './token.ts';

/** How a word makes a sentence sound: a bit for each way, known of a word from when it is first seen. */
export type Tone = number;
/** It leaves open whether or how far something is so. */
export const HEDGES = 1;
/** It leaves no exception open. */
export const INSISTS = 2;
/** People use it of themselves and to each other. */
export const SPEAKS = 4;

const tones = new Map<string, Tone>();
for (const [tone, words] of [
  [
    HEDGES,
    'may might could can possibly perhaps likely probably suggest appear seem potential potentially about approximately around nearly almost some',
  ],
  [
    INSISTS,
    'all every always only never none entirely completely must definitely certainly exclusively guarantee prove',
  ],
  [SPEAKS, "i my me you your yeah yes oh wow lol i'm i've haha"],
] as const)
  for (const word of words.split(' ')) tones.set(word, (tones.get(word) ?? 0) | tone);

/** The tone of a lower-case word. */
export function toneOf(lower: string): Tone {
  return tones.get(lower) ?? 0;
}

/** Whether a token has a tone. */
export function sounds({ form }: Token, tone: Tone): boolean {
  return form !== undefined && (form.tone & tone) !== 0;
}
