import { type FigureAccount, isPartOfName } from '../engines/figures.ts';
import { sharedWith } from '../engines/slots.ts';
import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import { compareQuantities, isMeasure, type Quantity } from '../reading/quantities.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { calculates } from '../support/everyday.ts';
import { entryOf, type LexiconEntry } from '../support/lexicon.ts';
import { isInFigure } from './cover.ts';
import { quote, sourceName } from './ground.ts';

/** A passage that holds so much of a statement says the same thing: its figures are the ones that count. */
const SAME_THING = 0.8;
/** Another passage that says as much of it is as good. */
const NEARLY_AS_GOOD = 0.7;

/**
 * Figures of a statement that are known only from elsewhere, or come out of a calculation, while the closest passage gives
 * another one of their kind for which the statement has no other use: "left in June" beside "left in May" and a June
 * elsewhere, "within 2 working days" beside "within 7 working days".
 */
export function strayedFigures(
  statement: Statement,
  accounts: readonly FigureAccount[],
  passages: readonly number[],
  index: EvidenceIndex,
): FigureAccount[] {
  const giving = accounts.flatMap((one) => (one.state === 'found' ? [one.passage] : []));
  const closest = [...new Set([...passages, ...giving])]
    .flatMap((at) => index.passages[at] ?? [])
    .map((passage) => ({
      passage,
      share: sharedWith(statement, passage, index),
      given: statement.quantities.filter((own) => passage.quantities.some((known) => isSame(own, known))).length,
    }))
    .sort((a, b) => b.share + b.given - a.share - a.given)[0];
  if (closest === undefined) return [];
  const { passage, share } = closest;
  const free = unusedOf(statement.quantities, passage);
  return accounts.filter((account) => {
    const { figure } = account;
    if (account.state === 'open' || isPartOfName(statement, figure)) return false;
    if (passage.quantities.some((known) => isSame(figure, known))) return false;
    const chance = account.state === 'computed' && account.loose === true && !asksForSums(statement);
    if (share >= SAME_THING && (account.state === 'found' || chance))
      return free.some((known) => isRival(figure, known) && (known.unit === figure.unit || !isWord(figure, statement)));
    if (account.state === 'computed' || account.passage === -1 || passages.includes(account.passage)) return false;
    const holding = index.passages[account.passage];
    if (holding === undefined || sharedWith(statement, holding, index) >= NEARLY_AS_GOOD * share) return false;
    return free.some((known) => isRival(figure, known) && known.unit === figure.unit && hasUnit(figure));
  });
}

const isSame = (own: Quantity, known: Quantity): boolean => compareQuantities(own, known) === 'same';

/** "In these two cases": a number in letters may count what the sentence names itself. */
const isWord = ({ start, end }: Quantity, { text }: Statement): boolean => /^\p{L}+$/u.test(text.slice(start, end));

const hasUnit = ({ kind, unit }: Quantity): boolean => kind !== 'number' || unit !== '';

/** Figures of a passage that no figure of the statement repeats. */
const unusedOf = (own: readonly Quantity[], { quantities }: Passage): Quantity[] =>
  quantities.filter((known) => !own.some((one) => isSame(one, known)));

/** Whether two figures could stand in the same place: of one kind, and of one measure where they have one. */
function isRival(own: Quantity, known: Quantity): boolean {
  if (own.kind !== known.kind) return false;
  if (own.kind === 'date') return compareQuantities(own, known) === 'different';
  return own.kind !== 'number' || own.unit === known.unit || !(isMeasure(own) || isMeasure(known));
}

const asksForSums = ({ tokens }: Statement): boolean => tokens.some(({ stem }) => calculates(stem));

/** A name of a statement that the passage with its figures lacks while it has another: who did, or had, what it says. */
export function strayedName(
  statement: Statement,
  accounts: readonly FigureAccount[],
  index: EvidenceIndex,
): { name: string; says: string; passage: number } | undefined {
  const names = namesIn(statement.tokens, statement);
  if (names.length === 0 || statement.record !== undefined) return undefined;
  const giving = accounts.flatMap((one) => (one.state === 'found' && one.passage >= 0 ? [one.passage] : []));
  const [at, ...others] = [...new Set(giving)];
  const passage = index.passages[at ?? -1];
  // Figures of several passages may each have their own name.
  if (at === undefined || others.length > 0 || passage === undefined) return undefined;
  const around = aroundOf(at, index);
  // "Selma Kaya" is named by one of her names.
  const beside = (name: Token): boolean =>
    names.some((other) =>
      Math.abs(other.start - name.end) <= 1 || Math.abs(name.start - other.end) <= 1 ? around.has(other.stem) : false,
    );
  const stray = names.find((name) => !around.has(name.stem) && !beside(name));
  const theirs = namesIn(passage.tokens, { quantities: passage.quantities, tokens: passage.tokens });
  const own = new Set(statement.tokens.map(({ stem }) => stem));
  const rival = theirs.find((name) => !own.has(name.stem));
  if (stray === undefined || rival === undefined) return undefined;
  const text = passageText(index, passage);
  const [name, other] = [
    statement.text.slice(stray.start, stray.end),
    text.slice(rival.start - passage.start, rival.end - passage.start),
  ];
  return {
    name,
    passage: at,
    says: `The passage with its figures names “${other}” and not “${name}”; ${sourceName(index, passage.source)} says ${quote(text)}.`,
  };
}

const APART_MAX = 3;

/**
 * Two capitalised words side by side that a passage has apart, each beside others: "Zoe June" beside "Zoe Saldana, born in
 * June".
 */
export function brokenNames(
  { tokens, record }: Statement,
  at: number | undefined,
  index: EvidenceIndex,
): { words: string; says: string } | undefined {
  const passage = index.passages[at ?? -1];
  if (passage === undefined || record !== undefined) return undefined;
  const places = new Map<string, number[]>();
  for (const [place, token] of passage.tokens.entries())
    if (token.capital && token.content) places.set(token.stem, [...(places.get(token.stem) ?? []), place]);
  const says = `${sourceName(index, passage.source)} says ${quote(passageText(index, passage))}.`;
  for (const [place, token] of tokens.entries()) {
    const next = tokens[place + 1];
    if (next === undefined || !isCapital(token) || !isCapital(next) || next.start > token.end + 1) continue;
    const [first, second] = [places.get(token.stem) ?? [], places.get(next.stem) ?? []];
    if (first.length === 0 || second.length === 0) continue;
    if (first.some((one) => second.some((other) => Math.abs(other - one) <= APART_MAX))) continue;
    return {
      words: `${token.lower} ${next.lower}`,
      says: `The passage does not have these two names together; ${says}`,
    };
  }
  return undefined;
}

const isCapital = ({ capital, content, kind }: Token): boolean => capital && content && kind === 'word';

/** Capitalised rare words of no other meaning, at whatever place: names of people, firms and products. */
function namesIn(
  tokens: readonly Token[],
  said: Pick<Statement, 'quantities'> & { tokens: readonly Token[] },
): Token[] {
  return tokens.filter(
    (token) =>
      token.capital &&
      token.content &&
      token.kind === 'word' &&
      token.lower.length > 2 &&
      isName(entryOf(token)) &&
      !isInFigure(token, { quantities: said.quantities } as Statement),
  );
}

const NAME_RARITY = 6;

const isName = ({ rarity, synonyms, broader }: LexiconEntry): boolean =>
  rarity >= NAME_RARITY && synonyms.length === 0 && broader.length === 0;

/** Stems of a passage with the line before it, where it opens, and of the name of its source. */
function aroundOf(at: number, index: EvidenceIndex): ReadonlySet<string> {
  const passage = index.passages[at];
  const { text = '', source = '' } = index.sources[passage?.source ?? -1] ?? {};
  const line = text.lastIndexOf('\n', (passage?.start ?? 0) - 1) + 1;
  return new Set(tokenize(`${text.slice(line, passage?.end)} ${source}`).map(({ stem }) => stem));
}
