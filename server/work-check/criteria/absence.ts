import type { AssessedFinding, JudgedStatement } from '../assessors/port.ts';
import { isUnsettled } from '../assessors/port.ts';
import { bySuspicion, indexesOf, passagesOf, quoted, stillOpen, summarize, tallyOf } from '../assessors/summary.ts';
import type { Kind, Reader } from './reader.ts';

/** What the work must not do, and the words by which it would be known to. */
const ACTS: readonly { name: string; asked: RegExp; done: RegExp }[] = [
  {
    name: 'advice',
    asked: /\b(?:advi[sc]\w+|recommend\w*|takes? (?:no|a) side|for or against|whether to)\b/i,
    done: /\b(?:we (?:recommend|advise|suggest)|you should|should (?:sign|accept|buy|choose|reject|use|not)|recommend\w*|advis(?:e|able)|better to|best to|worth (?:signing|buying|it)|do not (?:sign|buy|accept))\b/i,
  },
  {
    name: 'speculation',
    asked: /\b(?:speculat\w+|guess\w*|assum\w+|conjectur\w+)\b/i,
    done: /\b(?:probably|perhaps|presumably|likely|maybe|might have|could be because|appears? to be because|suggests? that|we (?:think|believe|assume)|may (?:have|reflect|be due))\b/i,
  },
  {
    name: 'a promise',
    asked: /\b(?:promis\w+|guarantee\w*|commit\w*)\b/i,
    done: /\b(?:we (?:promise|guarantee|ensure|will make sure)|guaranteed?|definitely|certainly will|without fail|in any case will)\b/i,
  },
  {
    name: 'advertising',
    asked: /\b(?:market\w+|advertis\w+|hype|sales talk|superlatives?)\b/i,
    done: /\b(?:amazing|unbeatable|best[- ]in[- ]class|world[- ]class|revolutionary|unique|incredible|must[- ]have|leading)\b/i,
  },
  {
    name: 'a section or act',
    asked: /\b(?:references? to (?:sections?|acts?|laws?|paragraphs?)|legal (?:jargon|references?)|legalese)\b/i,
    done: /\b(?:section|article|paragraph|act|regulation|§)\s*\d+|\b\p{Lu}\p{L}+ Act\b|\bhereby\b|\bpursuant\b|\bthereof\b/u,
  },
];

/** "Adds no facts", "nothing the notice does not say". */
const ADDED =
  /\b(?:add(?:s|ed)? (?:no|none|nothing)|no (?:added|invented|made[- ]up|new) |nothing (?:in it )?(?:that|is claimed|is added|the \w+ does not|invented|made up)|beyond (?:the|what)|of its own|not (?:guess|invent|made up|in the)|invent\w*|made up|hallucinat\w*|fabricat\w*|unsupported|only what|do(?:es)? not (?:carry|say|offer|state)|terms do not|none made up|nothing has slipped in)\b/i;

const readAdded = (judged: readonly JudgedStatement[]): AssessedFinding => {
  const checkable = judged.filter(({ status }) => status !== 'not_checked');
  const base = { passages: passagesOf(checkable), statements: indexesOf(checkable, judged) };
  const contradicted = checkable.filter(({ status }) => status === 'contradicted');
  if (contradicted.length > 0) return summarize(checkable, judged);
  const nowhere = checkable.filter(({ status, open }) => status === 'not_found' && open.length > 0);
  if (nowhere.length > 0) {
    const rest = bySuspicion(checkable.filter((one) => isUnsettled(one.status) && !nowhere.includes(one)));
    return {
      status: 'partly_met',
      reason: `${tallyOf(checkable)} ${stillOpen([...bySuspicion(nowhere), ...rest])}`,
      names_open: true,
      ...base,
    };
  }
  const summary = summarize(checkable, judged);
  if (summary.status !== 'partly_met') return summary;
  return {
    ...summary,
    status: 'met',
    reason: `Every figure, name and word of weight in the work stands in the evidence. ${tallyOf(checkable)}`,
  };
};

const readAbsence: Reader = (criterion, { judged, work }) => {
  const act = ACTS.find(({ asked }) => asked.test(criterion));
  if (act !== undefined && NOT_DONE.test(criterion)) {
    const doing = judged.filter(({ statement }) => act.done.test(statement.text));
    const [first] = doing;
    if (first !== undefined)
      return {
        status: 'partly_met',
        reason: `${quoted(first)} may be ${act.name}: it holds “${act.done.exec(first.statement.text)?.[0] ?? ''}”. A person should read it.`,
        passages: [],
        statements: indexesOf(doing, judged),
      };
    const added = ADDED.test(criterion) ? readAdded(judged) : undefined;
    if (added !== undefined && added.status !== 'met') return added;
    const said = act.done.exec(work.plain)?.[0];
    if (said !== undefined)
      return {
        status: 'partly_met',
        reason: `The work holds “${said}”, which may be ${act.name}. A person should read it.`,
        passages: [],
      };
    if (work.plain.trim() === '') return undefined;
    return {
      status: 'met',
      reason:
        `No sentence of the work holds a word by which ${act.name} is known, such as “recommend”, “should”, “probably” or “guarantee”.`.replace(
          /such as .*$/,
          'of those that the check looks for.',
        ),
      passages: [],
    };
  }
  return ADDED.test(criterion) ? readAdded(judged) : undefined;
};

const NOT_DONE =
  /\b(?:no|not|never|without|avoids?|stops? short|free of|nothing|none|refrains?|does not|doesn't|takes no)\b/i;

export const absence: Kind = {
  name: 'absence',
  basis: 'content',
  decides:
    'whether the work adds nothing to the evidence, and whether it gives advice, a promise, a guess, advertising or references to the law',
  known: new RegExp(`${ADDED.source}|${NOT_DONE.source}`, 'i'),
  read: readAbsence,
};
