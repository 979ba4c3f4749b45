import { judgeBrokenSum, judgeCell, judgeRecord, judgeRow, judgeSlip, judgeSum } from './field.ts';
import { type Ground, isProse, type Judgement } from './ground.ts';
import { judgeArithmetic, judgeComparison, judgeDuration, judgeWeekday } from './own-figures.ts';
import type { StatementReading } from './read-statement.ts';
import { judgeRest } from './rest.ts';

/** A rule: on what it speaks, whether a contradiction of its is certain, and what it says of a statement. */
type Rule = {
  name: string;
  on: 'field' | 'prose' | 'any';
  /**
   * It works out again what the work itself gives, or finds a slip of a source's figure. What a source has otherwise may be
   * older, newer or of something else.
   */
  certain?: true;
  judge: (reading: StatementReading, ground: Ground) => Judgement | undefined;
};

/** The rules in their order: the first that speaks of a statement decides what the kernel is asked to prove. */
export const rules = [
  {
    name: 'sum of its fields',
    on: 'field',
    certain: true,
    judge: ({ statement }, ground) => judgeBrokenSum(statement, ground, true),
  },
  { name: 'arithmetic', on: 'prose', certain: true, judge: ({ statement }) => judgeArithmetic(statement) },
  {
    name: 'weekday',
    on: 'prose',
    certain: true,
    judge: ({ statement }, ground) => judgeWeekday(statement, ground, 'own'),
  },
  {
    name: 'weekday in the evidence',
    on: 'prose',
    judge: ({ statement }, ground) => judgeWeekday(statement, ground, 'evidence'),
  },
  { name: 'duration', on: 'prose', certain: true, judge: ({ statement }) => judgeDuration(statement) },
  { name: 'comparison', on: 'prose', judge: ({ statement }) => judgeComparison(statement) },
  {
    name: 'figures of its row',
    on: 'field',
    certain: true,
    judge: ({ statement }, { work }) => judgeRow(statement, work),
  },
  { name: 'slip of a cell', on: 'any', certain: true, judge: judgeSlip },
  { name: 'cell', on: 'any', judge: judgeCell },
  { name: 'record', on: 'field', judge: ({ statement }, ground) => judgeRecord(statement, ground) },
  {
    name: 'sum of other fields',
    on: 'field',
    judge: ({ statement }, ground) => judgeBrokenSum(statement, ground, false),
  },
  { name: 'sum', on: 'field', judge: ({ statement }, ground) => judgeSum(statement, ground) },
  { name: 'words', on: 'any', judge: judgeRest },
] as const satisfies readonly Rule[];

export type RuleName = (typeof rules)[number]['name'];

/** What the first rule that speaks of a statement says. */
export function firstOf(
  reading: StatementReading,
  ground: Ground,
): (Judgement & { by: RuleName; certain: boolean }) | undefined {
  const { statement } = reading;
  for (const rule of rules as readonly Rule[]) {
    if (rule.on === 'field' && statement.record === undefined) continue;
    if (rule.on === 'prose' && !isProse(statement)) continue;
    const told = rule.judge(reading, ground);
    if (told !== undefined) return { ...told, by: rule.name as RuleName, certain: rule.certain === true };
  }
  return undefined;
}
