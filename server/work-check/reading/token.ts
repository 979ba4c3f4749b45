/**
 * A word, number or mark of a text; offsets are UTF-16 indices, `stem` joins the forms of one word, `content` tells
 * words that carry a meaning of their own from those that carry grammar, `denies` those that deny what comes after them.
 */
export type Token = {
  lower: string;
  stem: string;
  start: number;
  end: number;
  kind: 'word' | 'number' | 'mark';
  capital: boolean;
  content: boolean;
  denies: boolean;
  /** Of a word. */
  form: Form | undefined;
};

/** What all places share where a word is written the same way. */
export type Form = Pick<Token, 'lower' | 'stem' | 'capital' | 'content' | 'denies'> & {
  /** The word as it is written. */
  raw: string;
  /** Whether a figure can begin with it. */
  opensFigure: boolean;
  /** Whether an instruction may be known by it. */
  partOfCue: boolean;
};
