import { stem } from '../reading/tokens.ts';

type Scale = readonly [string, string];

/**
 * Scales with two ends, each end with the words that stand for it. Where WordNet opposes single words, a scale opposes
 * all of one end to all of the other: what "rose" says is contradicted by "decline" as much as by "fell".
 */
const EXCLUSIVE: readonly Scale[] = [
  [
    'increase rise grow growth gain climb surge soar jump raise boost expand expansion up upward upwards high higher highest more most greater elevate double triple escalate accelerate intensify strengthen heighten enhance rocket swell enlarge additional extra',
    'decrease fall drop decline reduce reduction low lower lowest less least fewer fewest down downward downwards shrink plunge plummet slump sink dip cut diminish lessen halve dwindle slow weaken tumble slide decelerate ease curb curtail slash minimize',
  ],
  [
    'begin start launch open commence initiate introduce found establish create inception onset inaugurate debut enter arrive join continue',
    'end finish stop close cease conclude halt terminate shut quit discontinue abolish dissolve cancel abandon expire complete leave exit depart',
  ],
  [
    'win winner victory triumph succeed success successful successfully beat victorious accomplish achieve',
    'lose loser loss fail failure unsuccessful unsuccessfully losing defeated',
  ],
  [
    'allow permit let enable approve approval authorize accept grant legal lawful legalize agree consent welcome adopt',
    'ban prohibit forbid block prevent deny reject refuse refusal illegal unlawful disallow bar restrict restriction decline veto disapprove rejection',
  ],
  ['include inclusion contain comprise involve', 'exclude exclusion omit lack'],
  [
    'support favor favour endorse advocate promote encourage praise defend help assist agree',
    'oppose opposition resist criticize condemn discourage hinder harm reject disagree object undermine hurt damage',
  ],
  ['alive live living survive survivor survival birth born', 'dead die death deceased fatal kill mortality perish'],
  ['north northern', 'south southern'],
  ['east eastern', 'west western'],
  ['buy buyer purchase acquire acquisition', 'sell seller sale sold divest'],
  ['permanent permanently lasting indefinite', 'temporary temporarily interim provisional'],
  ['guilty convict condemn', 'innocent acquit exonerate'],
  ['create build construct produce', 'destroy demolish ruin dismantle eliminate eradicate'],
  ['maximum max', 'minimum min'],
  ['majority', 'minority'],
  ['employ hire recruit appoint', 'dismiss resign layoff unemployed'],
  ['profit surplus profitable', 'loss deficit unprofitable'],
  ['mandatory compulsory required obligatory require', 'optional voluntary unnecessary'],
];

/** Scales whose ends can both be true of one subject in different respects: they tell against a statement, no more. */
const RELATIVE: readonly Scale[] = [
  [
    'large larger largest big bigger biggest huge great massive vast major enormous giant immense considerable substantial significant extensive broad wide',
    'small smaller smallest little tiny minor slight minimal limited modest negligible insignificant narrow mini miniature',
  ],
  [
    'many numerous multiple several various lot plenty abundant countless dozens hundreds thousands millions',
    'few fewer scarce handful sparse',
  ],
  [
    'common commonly usual usually frequent frequently often regular regularly always typical typically widespread prevalent popular generally',
    'rare rarely unusual uncommon infrequent seldom never hardly scarcely',
  ],
  [
    'all every entire whole full fully complete completely totally entirely',
    'some partial partially half partly incomplete none',
  ],
  [
    'early earlier earliest before prior previous previously preceding ahead former formerly past ago',
    'late later latest after afterwards subsequent subsequently following next future upcoming recent latter',
  ],
  [
    'first initial initially original originally beginning',
    'last final finally ultimate ultimately eventual eventually ending',
  ],
  [
    'new newer newest modern recent young younger youngest novel fresh contemporary',
    'old older oldest ancient historic traditional elderly senior outdated',
  ],
  [
    'good better best excellent great positive positively beneficial benefit favorable improve improvement superior advantage useful helpful effective effectively efficacious strong promising',
    'bad worse worst poor poorly negative negatively harmful harm unfavorable worsen deteriorate deterioration inferior disadvantage useless ineffective ineffectively weak adverse detrimental',
  ],
  [
    'safe safely safety secure protect protection harmless',
    'dangerous danger unsafe risk risky hazard hazardous threat harmful toxic deadly',
  ],
  [
    'same similar identical equal alike equivalent similarly equally likewise',
    'different differ difference distinct dissimilar unlike unequal',
  ],
  [
    'true correct accurate accurately real genuine actual valid fact confirm',
    'false incorrect wrong inaccurate fake untrue hoax invalid myth deny debunk',
  ],
  ['possible likely probable able capable', 'impossible unlikely improbable unable incapable'],
  [
    'easy easily simple simply effortless straightforward',
    'difficult complex complicated challenging tough difficulty',
  ],
  [
    'fast faster quick quickly rapid rapidly swift speedy soon immediate immediately',
    'slow slowly gradual gradually sluggish delay delayed',
  ],
  ['above over top upper exceed atop high overhead', 'below under bottom beneath lower underneath'],
  ['inside within inner indoor internal interior domestic', 'outside outer outdoor external exterior foreign beyond'],
  ['near close nearby adjacent local proximity', 'far distant remote away'],
  ['left', 'right'],
  ['front forward forwards advance ahead', 'back backward backwards behind retreat rear reverse'],
  ['public publicly open openly', 'private privately secret secretly confidential hidden closed'],
  ['give send provide supply export deliver donate', 'receive obtain import withhold'],
  [
    'male man boy father son brother husband king gentleman',
    'female woman girl mother daughter sister wife queen lady',
  ],
  ['present presence exist existence available attend', 'absent absence missing unavailable lack disappear'],
  ['hot warm warmer heat', 'cold cool cooler freeze'],
  [
    'happy happily glad pleased joy satisfied delighted',
    'sad unhappy angry upset dissatisfied disappointed displeased',
  ],
  ['rich wealthy wealth expensive costly', 'poor poverty cheap inexpensive affordable'],
  ['long longer longest lengthy tall prolonged', 'short shorter shortest brief briefly'],
  ['active actively activate', 'inactive passive dormant deactivate idle'],
  ['known famous familiar renowned popular prominent', 'unknown obscure unfamiliar unidentified anonymous'],
  ['attack offense offensive offence', 'defend defense defensive defence'],
  ['friend ally allied', 'enemy foe opponent rival'],
  ['connect join unite link attach together combine merge', 'disconnect separate divide detach split apart sever'],
  ['love enjoy prefer', 'hate dislike detest'],
  ['day daytime morning', 'night nighttime evening'],
  ['healthy cured recover recovery heal', 'sick ill illness unwell infected'],
  ['ask', 'answer reply respond'],
  ['teach teacher', 'learn student pupil'],
  ['lead leader', 'follow follower'],
  ['heavy heavier heaviest', 'lighter lightest lightweight'],
  ['dark darker', 'bright brighter'],
  ['clean pure', 'dirty polluted contaminated impure'],
  ['direct directly', 'indirect indirectly'],
];

/** The ends of scales that a stem stands for, each by a number of its own. */
export const scaleEnds: ReadonlyMap<string, readonly number[]> = readEnds();

function readEnds(): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const [scale, sides] of [...EXCLUSIVE, ...RELATIVE].entries())
    for (const [side, words] of sides.entries())
      for (const key of new Set(words.split(' ').map(stem)))
        ends.set(key, [...(ends.get(key) ?? []), 2 * scale + side]);
  return ends;
}

/** The other end of the same scale. */
export function otherEnd(end: number): number {
  return end % 2 === 0 ? end + 1 : end - 1;
}

/** Whether only one end of the scale can be true of a subject. */
export const isExclusive = (end: number): boolean => end < 2 * EXCLUSIVE.length;
