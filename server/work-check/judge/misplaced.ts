import { findWrongAttribution } from '../engines/attribution.ts';
import { findWrongWeekday } from '../engines/calendar.ts';
import { comparisonIn } from '../engines/comparison.ts';
import { findWrongActor, findWrongOwner, findWrongSpeaker } from '../engines/dialogue.ts';
import { findTurnedChange, findTurnedPair, findWrongOrder } from '../engines/direction.ts';
import { findWrongDuration } from '../engines/durations.ts';
import { findOtherBound, findWrongRange } from '../engines/range-claims.ts';
import { findReplaced } from '../engines/replaced.ts';
import { findSuperseded } from '../engines/superseded.ts';
import { findSwappedNumbers } from '../engines/swapped-numbers.ts';
import { findWrongChange } from '../engines/table-changes.ts';
import { clip } from '../quoting.ts';
import { passageText } from '../reading/evidence-index.ts';
import type { Statement } from '../statements.ts';
import { type Ground, isProse, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';
import { judgeReplaced } from './replaced.ts';

/** What the calendar, the order of times, the newer version of a source or a conversation says otherwise. */
export function misplacedIn(statement: Statement, { index, versions, turns }: Ground): Judgement | undefined {
  if (!isProse(statement)) return undefined;
  const day = findWrongWeekday(statement, index);
  if (day !== undefined)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${day.date} falls on a ${day.falls_on}, not on a ${day.written}.`,
      passages: [],
      compared: { claimed: day.written, known: day.falls_on },
    };
  const lasts = findWrongDuration(statement.text, statement.quantities);
  if (lasts !== undefined)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${lasts.says}, not ${lasts.claimed}.`,
      passages: [],
      compared: { claimed: lasts.claimed, known: lasts.says },
      computed: lasts.says,
    };
  const order = findWrongOrder(statement, index);
  if (order !== undefined) {
    const source = sourceName(index, index.passages[order.passage]?.source ?? -1);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; ${source} says ${quote(order.known)}: ${order.own} is not ${order.says} that.`,
      passages: placeOf(index, order.passage),
      compared: { claimed: order.own, known: order.known },
    };
  }
  const otherwise = toldOtherwise(statement, index);
  if (otherwise !== undefined) return otherwise;
  const replaced = findReplaced(statement, index);
  if (replaced !== undefined) return judgeReplaced(statement, replaced, index);
  const old = findSuperseded(statement, index, versions);
  if (old !== undefined) {
    const [older, newer] = [index.passages[old.older], index.passages[old.newer]];
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; “${clip(old.claimed)}” stands in ${sourceName(index, older?.source ?? -1)}, but ${sourceName(index, newer?.source ?? -1)} says “${clip(old.known)}”: ${quote(newer === undefined ? '' : passageText(index, newer))}.`,
      passages: [...placeOf(index, old.newer), ...placeOf(index, old.older)],
      compared: { claimed: old.claimed, known: old.known },
    };
  }
  const person =
    turns.length === 0
      ? undefined
      : (findWrongOwner(statement, turns) ?? findWrongActor(statement, turns) ?? findWrongSpeaker(statement, turns));
  if (person === undefined) return undefined;
  const said = person.turns.map(({ speaker, text }) => `${speaker}: ${quote(text)}`).join(', ');
  return {
    status: 'contradicted',
    why: `The work says ${where(statement)}; in ${sourceName(index, person.turns[0]?.source ?? -1)} it is ${person.known}, not ${person.claimed}: ${said}.`,
    passages: person.turns.flatMap(({ source, start, end }) => {
      const ref = index.sources[source]?.ref;
      return ref === undefined ? [] : [{ ref, start, end }];
    }),
    compared: { claimed: person.claimed, known: person.known },
  };
}

/** A comparison or change that is turned round, or figures given as another source's. */
function toldOtherwise(statement: Statement, index: Ground['index']): Judgement | undefined {
  const compared = comparisonIn(statement);
  if (compared?.holds === false)
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}, but ${compared.says}.`,
      passages: [],
      compared: { claimed: compared.word, known: compared.says },
    };
  const swapped = findSwappedNumbers(statement, index);
  if (swapped !== undefined) {
    const passage = index.passages[swapped.passage];
    const said = passage === undefined ? '' : passageText(index, passage);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; ${sourceName(index, passage?.source ?? -1)} says of ${swapped.known} what the work says of ${swapped.claimed}: ${quote(said)}.`,
      passages: placeOf(index, swapped.passage),
      compared: { claimed: swapped.claimed, known: swapped.known },
    };
  }
  const range = findWrongRange(statement, index) ?? findOtherBound(statement, index);
  if (range !== undefined) {
    const passage = index.passages[range.passage];
    const said = passage === undefined ? '' : passageText(index, passage);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; ${sourceName(index, passage?.source ?? -1)} says ${quote(said)}: ${range.says}.`,
      passages: placeOf(index, range.passage),
      compared: { claimed: range.claimed, known: range.says },
      computed: range.says,
    };
  }
  const change = findWrongChange(statement, index);
  if (change !== undefined) {
    const { ref = '', source = 'the evidence' } = index.sources[change.source] ?? {};
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; by ${source} ${change.says}, against “${clip(change.claimed)}”.`,
      passages: [{ ref, start: change.start, end: change.end }],
      compared: { claimed: change.claimed, known: change.says },
      computed: change.says,
    };
  }
  const turned = findTurnedChange(statement, index) ?? findTurnedPair(statement, index);
  if (turned !== undefined) {
    const passage = index.passages[turned.passage ?? -1];
    const said =
      passage === undefined ? '' : `; ${sourceName(index, passage.source)} says ${quote(passageText(index, passage))}`;
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}${said}: ${turned.says}.`,
      passages: turned.passage === undefined ? [] : placeOf(index, turned.passage),
      compared: { claimed: statement.text, known: turned.says },
    };
  }
  const whose = findWrongAttribution(statement, index);
  if (whose !== undefined) {
    const passage = index.passages[whose.passage];
    const said = passage === undefined ? '' : passageText(index, passage);
    return {
      status: 'contradicted',
      why: `The work says ${where(statement)}; none of its figures stands in ${sourceName(index, whose.source)}, and ${sourceName(index, passage?.source ?? -1)} says ${quote(said)}.`,
      passages: placeOf(index, whose.passage),
      compared: { claimed: whose.named, known: sourceName(index, passage?.source ?? -1) },
    };
  }
  return undefined;
}
