import type { Quantity } from '../reading/quantities.ts';
import { isContent, stem, type Token, tokenize } from '../reading/tokens.ts';

/** Which statements a criterion about faithfulness looks at. */
export type Scope = 'all' | 'figures' | 'dates' | 'names';

/**
 * How a criterion can be answered without understanding more than its words:
 * `form` counts or looks up, `faithful` compares statements with the evidence, `content` looks for a subject in the
 * work and compares what is said of it, `judgement` needs a person.
 */
export type CriterionReading =
  | { kind: 'form'; rule: FormRule }
  | { kind: 'faithful'; scope: Scope }
  | { kind: 'content'; topic: string[]; figures: Quantity['kind'][]; scope: Scope; quoted: string[] }
  | { kind: 'judgement' };

export type FormRule = { unit: 'words' | 'sentences' | 'characters' | 'items'; min?: number; max?: number };

const FAITHFUL =
  /\b(?:support|ground|back(?:ed|s)? (?:up|by)|agree|consistent|match|faithful|accura|correct|verif|trac(?:e|k)|in line|invent|hallucinat|unsupported|fabricat|made up|cited?|citation|true to|contradict|factual|evidence)/i;
const JUDGEMENT =
  /\b(?:tone|polite|friendly|profession\w*|well[- ]written|readable|engaging|persuasive|elegant|creative|helpful|empath\w*|concise|style|grammar|flows?|natural|appropriate|reasonable|sensible|insight\w*)\b/i;

/** Words that speak about the check itself and not about its subject. */
const META = new Set(
  (
    'work answer report summary text output response product agent document statement claim fact figure number value name ' +
    'total every each all any only evidence source support ground back agree consistent match faithful accurate accuracy ' +
    'correct verify trace invent hallucinate unsupported fabricate cite citation true factual contradict criteria require ' +
    'include contain state mention list give identify describe explain provide present say show cover address note use make ' +
    'not must should exact exactly relevant key main clear complete supplied given based follow appear detail information ' +
    'item point result accord entry field record one two three least most quote person people tell read stand table row ' +
    'column correctly accurately hold both'
  )
    .split(' ')
    .map(stem),
);

/** A word that asks for a kind of figure rather than for a subject. */
const CONCEPTS = new Map(
  (
    'price money,cost money,amount money,fee money,quantity number,count number,percentage percent,share percent,' +
    'rate percent,date date,deadline date,day date,year date,time date'
  )
    .split(',')
    .map((pair) => {
      const [word = '', kind = ''] = pair.split(' ');
      return [word, kind as Quantity['kind']] as const;
    }),
);

export function readCriterion(text: string): CriterionReading {
  const rule = formRule(text);
  if (rule !== undefined) return { kind: 'form', rule };
  const tokens = tokenize(text);
  const quoted = [...text.matchAll(/["“]([^"”]{2,120})["”]/g)].map((match) => match[1] ?? '');
  const topic = [...new Set(tokens.filter((token) => isTopic(token)).map((token) => token.stem))];
  const scope = scopeOf(text);
  const faithful = FAITHFUL.test(text);
  if (faithful && (topic.length === 0 || /\b(?:every|all|each|any|no|nothing|only)\b/i.test(text))) {
    if (topic.length <= 2 && quoted.length === 0) return { kind: 'faithful', scope };
  }
  const asked = tokens.flatMap((token) => conceptOf(token) ?? (token.lower === 'when' ? ['date' as const] : []));
  const figures = [...new Set(asked)];
  if (topic.length === 0 && quoted.length === 0 && (faithful || figures.length === 0))
    return faithful ? { kind: 'faithful', scope } : { kind: 'judgement' };
  if (JUDGEMENT.test(text) && !faithful && scope === 'all') return { kind: 'judgement' };
  return { kind: 'content', topic, figures, scope, quoted };
}

/** Only the noun itself asks for a figure: "pricing" does not. */
function conceptOf({ lower }: Token): Quantity['kind'] | undefined {
  return CONCEPTS.get(lower) ?? CONCEPTS.get(lower.replace(/s$/, '')) ?? CONCEPTS.get(lower.replace(/ies$/, 'y'));
}

// "Unit price" asks for a price; the unit is no subject of its own.
const UNIT = stem('unit');

function isTopic(token: Token): boolean {
  return isContent(token) && !META.has(token.stem) && conceptOf(token) === undefined && token.stem !== UNIT;
}

function scopeOf(text: string): Scope {
  if (/\b(?:dates?|deadlines?|when|year|day|due)\b/i.test(text)) return 'dates';
  if (
    /\b(?:figures?|numbers?|amounts?|totals?|prices?|percent\w*|quantit\w*|how (?:many|much)|sums?|counts?|costs?)\b/i.test(
      text,
    )
  )
    return 'figures';
  if (/\b(?:names?|who|whom|persons?|people|owners?|compan\w+|participants?)\b/i.test(text)) return 'names';
  return 'all';
}

const UNITS: readonly (readonly [RegExp, FormRule['unit']])[] = [
  [/^words?$/i, 'words'],
  [/^sentences?$/i, 'sentences'],
  [/^(?:characters?|chars?)$/i, 'characters'],
  [/^(?:bullets?|items?|points?|entries|rows?|records?|bullet points?)$/i, 'items'],
];

const COUNT_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function formRule(text: string): FormRule | undefined {
  const match =
    /\b(at most|no more than|not more than|no longer than|under|below|fewer than|less than|maximum(?: of)?|max\.?|up to|within|at least|no fewer than|no less than|minimum(?: of)?|exactly|only)\s+(\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten)\s+(words?|sentences?|characters?|chars?|bullet points?|bullets?|items?|points?|entries|rows?|records?)\b/i.exec(
      text,
    );
  if (match === null) return undefined;
  const [, bound = '', figure = '', noun = ''] = match;
  const spelled = COUNT_WORDS.indexOf(figure.toLowerCase());
  const value = spelled >= 0 ? spelled : Number(figure.replaceAll(',', ''));
  const unit = UNITS.find(([pattern]) => pattern.test(noun))?.[1];
  if (unit === undefined) return undefined;
  const word = bound.toLowerCase();
  if (word === 'exactly' || word === 'only') return { unit, min: value, max: value };
  if (/least|fewer than$|no less|minimum/.test(word) && word !== 'fewer than') return { unit, min: value };
  return { unit, max: word === 'under' || word === 'below' || /^(?:fewer|less) than$/.test(word) ? value - 1 : value };
}
