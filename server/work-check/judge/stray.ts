import { type FigureAccount, isPartOfName } from '../engines/figures.ts';
import { sharedWith } from '../engines/slots.ts';
import type { EvidenceIndex, Passage } from '../reading/evidence-index.ts';
import { compareQuantities, isMeasure, type Quantity } from '../reading/quantities.ts';
import type { Statement } from '../statements.ts';
import { calculates } from '../support/everyday.ts';

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
