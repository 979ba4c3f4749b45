// Longer than 300 lines: one table of what criteria ask for and how work shows it.
import type { Quantity } from '../reading/quantity.ts';
import type { Statement } from '../statements.ts';
import { entryOf } from '../support/lexicon.ts';

/**
 * What criteria ask for and how a statement shows it. To extend the table, add a row: `asked` reads the criterion, `shown`
 * the statement. A `telling` concept is shown by its own words; any other must stand beside the criterion's subject.
 */
export type Concept = {
  name: string;
  asked: RegExp;
  shown: RegExp | ((statement: Statement) => boolean);
  telling: boolean;
  /** The kind of figure without which the work cannot show it. */
  figure?: Quantity['kind'][];
};

const hasKind =
  (...kinds: Quantity['kind'][]) =>
  ({ quantities }: Statement): boolean =>
    quantities.some(({ kind }) => kinds.includes(kind));

const DURATION = new Set(['day', 'week', 'month', 'year', 'hour', 'minute', 'second']);
const WEEKDAY = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i;

const concepts: readonly Concept[] = [
  {
    name: 'a date or time',
    asked:
      /\b(?:when|dates?|due|expir\w+|(?:which|what) (?:day|time)|(?:day|date)s? and (?:the )?times?|with (?:the |its |their )?(?:day|time)|start(?!s? with)\w*|time of)\b/i,
    shown: (statement) =>
      hasKind('date', 'time')(statement) ||
      WEEKDAY.test(statement.text) ||
      (/\b(?:within|in|after)\b/i.test(statement.text) && statement.quantities.some(({ unit }) => DURATION.has(unit))),
    telling: false,
    figure: ['date', 'time', 'number'],
  },
  {
    name: 'a deadline',
    asked: /\b(?:deadlines?|by when|until when|due date|cut-?off|latest (?:date|day)|last day)\b/i,
    shown: ({ text, quantities }) =>
      /\b(?:by|until|till|before|no later than|at the latest|due|within)\b/i.test(text) &&
      (quantities.some(({ kind, unit }) => kind === 'date' || kind === 'time' || DURATION.has(unit)) ||
        WEEKDAY.test(text)),
    telling: true,
    figure: ['date', 'time', 'number'],
  },
  {
    name: 'a price',
    asked: /\b(?:prices?|costs?|fees?|how much .{0,20}costs?)\b/i,
    shown: ({ text, quantities }) =>
      /\b(?:prices?|costs?|fees?|charges?|pays?|rent|rates?|(?:comes?|adds?) (?:up )?to)\b|[€£$]|\b(?:EUR|USD|GBP|CHF)\b/i.test(
        text,
      ) &&
      quantities.some(
        ({ kind, unit, start, end }) =>
          kind === 'money' || (kind === 'number' && (unit === '' || /\.\d\d$/.test(text.slice(start, end)))),
      ),
    telling: true,
    figure: ['money', 'number'],
  },
  {
    name: 'where to go',
    asked: /\bwhere (?:to|they|you|he|she|people|on)\b/i,
    shown:
      /\b(?:at|in) (?:person|the \p{Lu}|\p{Lu})|\b(?:street|road|room|desk|office|online|portal|square|avenue|building|entrance|gate|floor)\b/iu,
    telling: true,
  },
  {
    name: 'a quantity',
    asked: /\bquantit(?:y|ies)\b/i,
    shown: ({ quantities }) =>
      quantities.some(({ kind, unit }) => kind === 'number' && unit !== '' && unit !== 'ordinal'),
    telling: true,
    figure: ['number'],
  },
  {
    name: 'an amount of money',
    asked:
      /\b(?:how much|amounts?|budget|spent|spending|refund(?:ed)?|salary|rent|billed|left over|comes back|money)\b/i,
    shown: ({ quantities, text }) =>
      quantities.some(
        ({ kind, start, end, value }) =>
          kind === 'money' || (kind === 'number' && (/\.\d\d$/.test(text.slice(start, end)) || value >= 100)),
      ) || /\b(?:free|half|no charge)\b/i.test(text),
    telling: false,
    figure: ['money', 'number'],
  },
  {
    name: 'a number',
    asked: /\b(?:how many|number of|percentages?|share of|rate|totals?)\b/i,
    shown: hasKind('number', 'percent', 'money'),
    telling: false,
    figure: ['number', 'percent', 'money'],
  },
  {
    name: 'a length of time',
    asked: /\b(?:how long|duration|periods?|time (?:it|needed|required|limit)|cooking time|warranty|notice)\b/i,
    shown: ({ quantities }) => quantities.some(({ unit }) => DURATION.has(unit)),
    telling: false,
    figure: ['number'],
  },
  {
    name: 'a person or party',
    asked:
      /\b(?:who|whom|whose|(?:carr(?:y|ies)|with|has|have|gives?|shows?) (?:a|the|their|its) names?|owners?|responsible|somebody|someone|in charge|assigned|party|persons?)\b/i,
    shown: ({ tokens, text }) =>
      tokens.some(
        (token, at) =>
          token.kind === 'word' &&
          token.capital &&
          token.content &&
          // A word that opens a sentence is a name when no list of words knows it.
          (at > 0 || entryOf(token).stem === '' || /^\p{Lu}[\p{L}]+ (?:\p{Lu}|\w+s\b)/u.test(text)),
      ),
    telling: false,
  },
  {
    name: 'a place',
    asked:
      /\bwhere(?! (?:to|they|you|he|she|people|on))\b|\b(?:names?|gives?|states?|says|tells|includes?|mentions?|has|have|with|and) (?:(?:the|its|an?|our|their) )?(?:\p{L}+ )?(?:location|address|venue|place)\b/iu,
    shown:
      /\b(?:at|in|on|to|from)\s+(?:the\s+)?\p{Lu}|\bat the same place\b|\b(?:street|road|room|desk|office|online|portal|square|avenue|building)\b/u,
    telling: false,
  },
  {
    name: 'a reason',
    asked: /\b(?:why|reasons?|causes?|grounds|justif\w+|led to)\b/i,
    shown:
      /\b(?:because|since|due to|owing to|caused?|causes|reasons?|as a result|resulted|therefore|led to|arose|stems? from|on account of|thanks to|so that|as \w+ (?:needs?|is|are|was|were|has|have))\b/i,
    telling: true,
  },
  {
    name: 'what is left to do',
    asked:
      /\b(?:next steps?|left (?:for|to) (?:me|us|them|do|you)|what (?:is left|remains) to (?:do|be done)|way forward|how to (?:proceed|continue|go on)|to-?dos?|action items?|follow-?ups?|what to do|actions?)\b/i,
    shown:
      /\b(?:follow-?ups?|action items?|actions:|to-?dos?|recommend\w*|suggest\w*|propos\w*|next steps?|should|needs? (?:a|an|to)|please|must|has to|have to|ask(?:s|ed)? for|left for|to do|hold (?:the|back)|contact|await\w*|skip it|take the|find|call|apply)\b/i,
    telling: true,
  },
  {
    name: 'a problem',
    asked:
      /\b(?:went wrong|problems?|difficult\w*|drawbacks?|downsides?|weakness\w*|disadvantages?|setbacks?|obstacles?|failures?|troubles?|hitches|mishaps?|shortcomings?|complaints?|side effects?|unusual|negative findings?|cons)\b/i,
    shown:
      /\b(?:delay\w*|fail\w*|difficult\w*|problems?|vacant|errors?|clash\w*|conflict\w*|not (?:available|free)|unavailable|loss\w*|lost|late|exceed\w*|drawbacks?|vanish\w*|disappear\w*|collisions?|damage\w*|shortage|wrong|missing|broken|rejected|deferred|could not|cannot|unable|complain\w*|worse|slow\w*|above (?:plan|budget)|over budget|overr[ua]n\w*|interrupt\w*|noisy|rash|drows\w*|instead of)\b/i,
    telling: true,
  },
  {
    name: 'the impact',
    asked: /\b(?:impact|who was affected|how (?:many|much) (?:\w+ ){0,2}affected|damage (?:done|caused))\b/i,
    shown:
      /\b(?:affected|fail\w*|lost|loses?|unavailable|interrupted|delayed|missed|cancel\w*|could not|unable|went down|was down|outage|slow\w*|errors?|tickets?|complain\w*|refund\w*|injur\w*|spoil\w*|damag\w*)\b/i,
    telling: true,
  },
  {
    name: 'how it was put right',
    asked:
      /\b(?:how .{0,40}\b(?:fixed|resolved|solved|mitigated|repaired|restored|put right)|(?:the|its) (?:resolution|mitigation|fix|remedy))\b/i,
    shown:
      /\b(?:roll(?:ed|ing)? back|rollback|restor\w*|fix\w*|repair\w*|replac\w*|restart\w*|revert\w*|resolv\w*|patch\w*|reset|swapp\w*|switched|recover\w*|put back|corrected)\b/i,
    telling: true,
  },
  {
    name: 'what is not known',
    asked:
      /\b(?:not (?:yet )?known|(?:did|could|does) not (?:turn up|find|cover|say)|admit\w*|owns? up|still (?:open|missing|lacking|needed)|undecided|unknown|uncertain\w*|unclear|gaps?|open (?:points?|questions?|items?)|loose ends|undecided|left open|unresolved|does not know|missing information)\b/i,
    shown:
      /\b(?:neither|lacks?|missing|appears? nowhere|short of|no mention|not known|(?:nobody|no one) knows|(?:we|they) (?:do not|don't) know|still (?:looking|needed|missing|open|wanted|to be)|never been|have (?:never|not yet) been|did not (?:decide|say|study)|(?:was|were) (?:postponed|adjourned)|no answer (?:has|yet)|none of the sources|unknown|unclear|uncertain|no (?:\w+ ){0,2}(?:date|information|data|figures?|answer|record|decision)|not stated|do(?:es)? not (?:say|show|state|give|tell)|gives? no|not (?:yet )?(?:decided|confirmed|given|recorded|studied|reported|settled|been (?:decided|confirmed|settled))|nothing was decided|still open|pending|undecided|remains? to|could not be|cannot be (?:told|said)|was not studied)\b/i,
    telling: true,
  },
  {
    name: 'a comparison',
    asked:
      /\b(?:compar\w*|(?<!\b(?:warn|advis|decid|vot|protect|guard|argu|rul|recommend|insur|fight)\w* )against the|versus|previous|the (?:year|week|month) before|last year(?!['’]s)|change since|set against|beside this|trend|old and new|before and after|with what was (?:agreed|promised|planned|ordered))\b/i,
    shown:
      /\b(?:than|compared|previous|earlier|up from|down from|(?:year|week|month) before|last (?:year|week|month|quarter)|more|fewer|less|against|instead of|whereas|rose|fell|rise|increase\w*|decrease\w*|plan(?:ned)? was|target|after [\d,.]+|agreed|from \S+(?: \S+)? to|below|above)\b/i,
    telling: true,
  },
  {
    name: 'a consequence',
    asked: /\b(?:consequences?|what happens (?:if|when)|penalt\w*|sanctions?)\b/i,
    shown: /\b(?:fined?|fines|penalt\w*|liable|otherwise|you (?:may|can|will) (?:be|lose|not)|will be|lose)\b/i,
    telling: true,
  },
  {
    name: 'a condition',
    asked: /\b(?:conditions?|applies|apply|requirements?|eligib\w*|exceptions?|when it does not)\b/i,
    shown:
      /\b(?:if|unless|provided|only|when|subject to|except|as long as|requires?|must|no \w+(?:-\w+)? \w+ is payable|does not apply|while)\b/i,
    telling: false,
  },
  {
    name: 'a recommendation',
    asked: /\b(?:recommend(?!ed\b)\w*|propos\w*|suggest\w*|conclusion|advises?)\b/i,
    shown:
      /\b(?:recommend\w*|propos\w*|suggest\w*|should|advise|choose|best|ask for|hold)\b|^\W*(?:buy|take|pick|go (?:for|with)|order|sign|accept|award|keep|rent|book)\b/i,
    telling: true,
  },
  {
    name: 'an interest that somebody has in it',
    asked: /\b(?:conflicts? of interest|who (?:paid|financed|funded)|funding|financed|sponsors?|disclos\w*)\b/i,
    shown:
      /\b(?:fund\w*|donat\w*|sponsor\w*|paid (?:by|for|from)|financ\w*|conflict|interest|manufacturer|shareholder|related to|owns|(?:is|are) employed by|works? for|brother|sister|husband|wife|declared)\b/i,
    telling: true,
  },
  {
    name: 'a result without effect',
    asked: /\b(?:no effect|no difference|without effect|not significant|negative results?)\b/i,
    shown:
      /\b(?:no (?:effect|difference|change|significant)|did not (?:differ|change|improve|affect)|not significant|unchanged|barely changed)\b/i,
    telling: true,
  },
  {
    name: 'what is counted and what is not',
    asked: /\b(?:what .{0,30}(?:includes?|counts?|leaves? out|do not|does not)|inclu\w+ and|counts towards)\b/i,
    shown: /\b(?:includ\w*|exclud\w*|leaves? out|left out|not included|without|except|are accounts|counts?)\b/i,
    telling: true,
  },
  {
    name: 'a warning',
    asked: /\b(?:warns?|warnings?|caution\w*)\b/i,
    shown: /\b(?:do not|don't|never|warning|avoid|careful|must not|no longer|deprecated|not be used)\b/i,
    telling: true,
  },
  {
    name: 'how to avoid it',
    asked: /\b(?:prevent\w*|avoid\w*|next time|in (?:the )?future|happen again)\b/i,
    shown:
      /\b(?:avoid|prevent|block|switch(?:ed)? (?:it )?off|turn(?:ed)? (?:it )?off|in future|next time|from now on|(?:is|are) now|so that .{0,60} (?:no longer|not|never)|instead)\b/i,
    telling: true,
  },
  {
    name: 'when to call for help',
    asked:
      /\b(?:signs?|symptoms?|when to (?:call|contact|seek|ring|see)|should (?:call|contact|make)|warning signs?)\b/i,
    shown:
      /\b(?:call|contact|phone|ring|ask|tell|see|come)\b.{0,60}\b(?:if|when|as soon as)\b|\b(?:if|when|should)\b.{0,90}\b(?:call|contact|phone|ring|tell|see)\b/i,
    telling: true,
  },
  {
    name: 'its sources',
    asked: /\b(?:lists?|names?|gives?|has a list of) (?:(?:its|the|all|their) )?(?:sources?|references?)\b/i,
    shown: /^\W*(?:sources?|references?|bibliography)\b/i,
    telling: true,
  },
  {
    name: 'an allergen',
    asked: /\ballergens?\b/i,
    shown: /\b(?:allergens?|celery|gluten|milk|nuts?|soya?|eggs?|fish|mustard|sesame)\b/i,
    telling: true,
  },
  {
    name: 'a benefit',
    asked: /\b(?:benefits?|advantages?|strengths?|upsides?|positive|pros)\b/i,
    shown:
      /\b(?:more|higher|better|improv\w*|sav(?:e|es|ed|ing)|faster|benefit\w*|advantage\w*|success\w*|reduc\w*|lower|drops?)\b/i,
    telling: true,
  },
  {
    name: 'a decision',
    asked: /\b(?:decisions?|decided|what was agreed|motions?|resolutions?)\b/i,
    shown:
      /\b(?:decid\w*|agreed|cho(?:se|sen)|approved|adopted|resolved|rejected|voted|carried|invite|accepted|switches)\b/i,
    telling: true,
  },
  {
    name: 'its end',
    asked: /\b(?:was over|ended|back to normal|all[- ]clear|resolved|recovered)\b/i,
    shown: /\b(?:resolved|over|ended|finished|normal again|cleared|restored|recovered|back to normal|closed)\b/i,
    telling: true,
  },
];

/** Where both are asked by the same words, the exact one is meant. */
const MORE_EXACT: readonly (readonly [string, string])[] = [
  ['a date or time', 'an amount of money'],
  ['a deadline', 'a date or time'],
  ['a price', 'a number'],
  ['a price', 'an amount of money'],
  ['an amount of money', 'a number'],
  ['an interest that somebody has in it', 'a person or party'],
  ['when to call for help', 'a person or party'],
  ['when to call for help', 'a warning'],
  ['a length of time', 'a number'],
  ['how to avoid it', 'a date or time'],
];

/** The concepts that a criterion asks for. */
export function conceptsAsked(criterion: string): Concept[] {
  const asked = concepts.filter((concept) => concept.asked.test(criterion));
  // "When it applies" asks for a condition, not for a date.
  const drop = (name: string, when: string): boolean =>
    asked.some((one) => one.name === when) && asked.some((one) => one.name === name);
  const plainer = asked.filter(
    ({ name }) =>
      // One question asks for one thing: a deadline is a date, a price a number.
      !MORE_EXACT.some(([exact, loose]) => name === loose && drop(loose, exact)),
  );
  const conditional = plainer.some(({ name }) => name === 'a condition') && /\bwhen\b/i.test(criterion);
  return conditional ? plainer.filter(({ name }) => name === 'a condition') : plainer;
}

export function shows({ shown }: Concept, statement: Statement): boolean {
  const text = statement.under === '' ? statement.text : `${statement.under} ${statement.text}`;
  return typeof shown === 'function' ? shown(statement) : shown.test(text);
}
