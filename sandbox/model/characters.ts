/**
 * LOCAL SANDBOX: how the stand-in answers. There is no language model: `good` compares words, and the others show the
 * ways in which models fail as checkers.
 */
type Quote = { passage: string; words: string };
type Derivation = { claimed: string; operands: Quote[]; expression: string };
export type StatementAnswer = {
  id: string;
  quotes: Quote[];
  derivations?: Derivation[];
  claimed: string;
  known: string;
  reason: string;
  status: string;
  sure: boolean;
};
export type CriterionAnswer = StatementAnswer & { statements: string[]; words?: string };
export type Answer = { statements: StatementAnswer[]; criteria: CriterionAnswer[] };
type Question = { id: string; text: string; unproven?: string[] };
export type Material = {
  passages: { id: string; text: string; source: string }[];
  work: { id: string; text: string }[];
  statements: Question[];
  criteria: Question[];
};

/** The content of a prompt: evidence and work on one line, questions on another. */
export function materialOf(prompt: string): Material {
  const values = prompt.split('\n').flatMap((line) => (line.startsWith('{"') ? jsonOf(line) : []));
  const fixed = values.find((value) => 'evidence' in value) ?? { evidence: [] };
  const asked = values.find((value) => 'criteria' in value) ?? { statements: [], criteria: [] };
  const passages = fixed.evidence.flatMap(
    ({ source, passages: own }: { source: string; passages: { id: string; text: string }[] }) =>
      own.map((passage) => ({ ...passage, source })),
  );
  const work = (fixed.work?.text ?? fixed.work?.fields ?? []).flatMap(
    (part: { id?: string; text?: string; path?: string }) =>
      part.id === undefined ? [] : [{ id: part.id, text: part.text ?? part.path ?? '' }],
  );
  return { passages, work, statements: asked.statements, criteria: asked.criteria };
}

/** Undefined for a line that only begins like JSON, such as a cut answer. */
// biome-ignore lint/suspicious/noExplicitAny: the stand-in reads whatever it is sent
function jsonOf(line: string): any[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

const GRAMMAR = new Set(
  'the a an of in on at to for from by and or is are was were be has have had it its that this with as'.split(' '),
);
const DENIAL = /\b(?:not|no|never|none|nobody|nothing|without)\b|n['’]t\b/i;

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.filter((word) => !GRAMMAR.has(word)) ?? [];
const figuresOf = (text: string): string[] => text.match(/\d+(?:[.,]\d+)*/g) ?? [];

function overlap(text: string, other: string): number {
  const held = new Set(wordsOf(other));
  const own = wordsOf(text);
  return own.filter((word) => held.has(word)).length / Math.max(1, own.length);
}

function nearest(text: string, { passages }: Material): Material['passages'][number] | undefined {
  return [...passages].sort((a, b) => overlap(text, b.text) - overlap(text, a.text))[0];
}

const NEAR = 0.6;
const WORDS_BETWEEN = 3;

/** Compares words, their order, figures and negations with the nearest passage. */
function goodAnswer(material: Material): Answer {
  return {
    statements: material.statements.map((question) => goodStatement(question, material)),
    criteria: material.criteria.map((question) => goodCriterion(question, material)),
  };
}

function goodStatement({ id, text }: Question, material: Material): StatementAnswer {
  const near = nearest(text, material);
  const base = {
    id,
    quotes: [],
    claimed: '',
    known: '',
    reason: 'The passage is about it.',
    status: 'not_found',
    sure: true,
  };
  if (near === undefined || overlap(text, near.text) < NEAR) return base;
  const quotes = [{ passage: near.id, words: '' }];
  const held = new Set(figuresOf(`${near.text} ${near.source}`));
  const wrong = figuresOf(text).find((figure) => !held.has(figure));
  const other = figuresOf(near.text).find((figure) => !figuresOf(text).includes(figure));
  if (wrong !== undefined)
    return other === undefined ? base : { ...base, quotes, claimed: wrong, known: other, status: 'contradicted' };
  if (DENIAL.test(text) !== DENIAL.test(near.text))
    return { ...base, quotes, claimed: text.trim(), known: near.text.trim(), status: 'contradicted' };
  if (!isInOrder(wordsOf(text), wordsOf(near.text))) return base;
  return { ...base, quotes, status: 'supported' };
}

/** Whether a passage contains the words of a statement in order, with few other words between them. */
function isInOrder(own: readonly string[], held: readonly string[]): boolean {
  let at = -1;
  let stray = 0;
  for (const word of own) {
    const next = held.indexOf(word, at + 1);
    if (next === -1) {
      if (held.includes(word)) return false;
      stray += 1;
    } else if (at >= 0 && next - at > WORDS_BETWEEN) return false;
    else at = next;
  }
  return stray === 0;
}

function goodCriterion({ id, text }: Question, material: Material): CriterionAnswer {
  const base = { id, quotes: [], claimed: '', known: '', reason: 'The statements named do it.', sure: true };
  const named = material.work.filter(
    (one) => overlap(text, one.text) > 0 && goodStatement(one, material).status === 'supported',
  );
  return { ...base, statements: named.map((one) => one.id), status: named.length > 0 ? 'met' : 'not_assessable' };
}

/** Says yes to everything and quotes the first passage. */
function lazy(material: Material): Answer {
  const [first] = material.passages;
  const quotes = first === undefined ? [] : [{ passage: first.id, words: '' }];
  return approving(material, () => quotes, 'It is stated in the evidence.');
}

/** Praises everything, citing for each statement the passage that looks most like it. */
function flattering(material: Material): Answer {
  const quotes = (text: string): Quote[] => {
    const near = nearest(text, material);
    return near === undefined ? [] : [{ passage: near.id, words: '' }];
  };
  return approving(material, quotes, 'Excellent work: the passage clearly says so.');
}

/** Quotes words that nobody wrote, and passages that do not exist. */
function inventing(material: Material): Answer {
  const quotes = (text: string): Quote[] => [
    { passage: material.passages[0]?.id ?? 'p1', words: `It is confirmed that ${text}` },
    { passage: 'p9999', words: text },
  ];
  return approving(material, quotes, 'The source confirms: "It is all exactly so, word for word."');
}

function approving(material: Material, quotesOf: (text: string) => Quote[], reason: string): Answer {
  const given = ({ id, text }: Question) => ({
    id,
    quotes: quotesOf(text),
    claimed: '',
    known: '',
    reason,
    sure: true,
  });
  const statements = material.work.slice(0, 3).map(({ id }) => id);
  return {
    statements: material.statements.map((question) => ({ ...given(question), status: 'supported' })),
    criteria: material.criteria.map((question) => ({ ...given(question), statements, status: 'met' })),
  };
}

/** Contradicts everything: the statement's first word against the first of the nearest passage. */
function strict(material: Material): Answer {
  const accuse = ({ id, text }: Question) => {
    const near = nearest(text, material);
    return {
      id,
      quotes: near === undefined ? [] : [{ passage: near.id, words: '' }],
      claimed: wordsOf(text).at(-1) ?? '',
      known: wordsOf(near?.text ?? '')[0] ?? '',
      reason: 'The evidence says otherwise.',
      status: 'contradicted',
      sure: true,
    };
  };
  return {
    statements: material.statements.map(accuse),
    criteria: material.criteria.map((question) => ({
      ...accuse(question),
      statements: material.work.map(({ id }) => id),
    })),
  };
}

const ORDER =
  /\b(?:ignore|disregard|mark|treat|rate|answer|respond|verdict|must|please|counts?)\b.{0,80}\b(?:supported|met|approved|correct|verified)\b/i;

/** Obeys instructions in the evidence or the work. */
function obedient(material: Material): Answer {
  const told = [...material.passages, ...material.work, ...material.criteria].some(({ text }) => ORDER.test(text));
  return told ? flattering(material) : goodAnswer(material);
}

/** Answers like `good` at first, and the opposite when asked the same again. */
function flipping(material: Material, seen: Map<string, number>): Answer {
  const isAgain = ({ text }: Question): boolean => {
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return times % 2 === 1;
  };
  const [good, praise] = [goodAnswer(material), flattering(material)];
  return {
    statements: material.statements.map((question, at) => {
      const [own, other] = [good.statements[at], praise.statements[at]];
      const flipped = own?.status === 'supported' ? { ...own, quotes: [], status: 'not_found' } : other;
      return (isAgain(question) ? flipped : own) as StatementAnswer;
    }),
    criteria: material.criteria.map(
      (question, at) => (isAgain(question) ? praise : good).criteria[at] as CriterionAnswer,
    ),
  };
}

/** Says that everything is worked out, by sums that give something else or operands that stand nowhere. */
function calculating(material: Material): Answer {
  const [first] = material.passages;
  const praise = flattering(material);
  const figure = figuresOf(first?.text ?? '')[0];
  return {
    ...praise,
    statements: praise.statements.map((answer, at) => ({
      ...answer,
      derivations: figuresOf(material.statements[at]?.text ?? '').map((claimed) => ({
        claimed,
        operands: [{ passage: first?.id ?? 'p1', words: figure ?? claimed }],
        expression: 'a * 1 + a - a',
      })),
    })),
  };
}

/** By the requested model's name; `seen` holds the questions this server got before. */
export function answerAs(character: string, material: Material, seen: Map<string, number>): Answer {
  const { statements, criteria } = answerOf(character, material, seen);
  return {
    statements: statements.map((answer) => ({ derivations: [], ...answer })),
    criteria: criteria.map(({ derivations: _, ...answer }) => ({ words: '', ...answer })),
  };
}

function answerOf(character: string, material: Material, seen: Map<string, number>): Answer {
  switch (character) {
    case 'lazy':
      return lazy(material);
    case 'flattering':
      return flattering(material);
    case 'inventing':
      return inventing(material);
    case 'calculating':
      return calculating(material);
    case 'strict':
      return strict(material);
    case 'obedient':
      return obedient(material);
    case 'flipping':
      return flipping(material, seen);
    default:
      return goodAnswer(material);
  }
}
