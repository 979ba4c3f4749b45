import type { LanguageModel } from 'ai';
import type { AssessorModel } from '../../../configuration/assessor.ts';
import { CheckFailure } from '../../failure.ts';
import type { AssessmentTask } from '../port.ts';
import type { Purse } from './budget.ts';
import type { Chance } from './chance.ts';
import type { Material } from './material.ts';

/** A model of the panel and what came of asking it, in one check. */
export type Member = {
  settings: AssessorModel;
  model: LanguageModel;
  name: string;
  failure: CheckFailure | undefined;
  /** Controls with a false statement, and with a true one: asked, and answered wrongly. */
  falseControls: { asked: number; wrong: number };
  trueControls: { asked: number; wrong: number };
};

/** One check under way. */
export type Job = {
  task: AssessmentTask;
  material: Material;
  chance: Chance;
  members: readonly Member[];
  purse: Purse;
  /** Quotes that stood nowhere in the evidence. */
  invented: number;
  onAnswered: (questions: number) => void;
};

/** What one model read; `opinion` is undefined when what it answered settles nothing. */
export type Reading<Opinion> = { member: Member; opinion: Opinion | undefined };

/** Wrong answers to this share of the controls are put down to chance. */
const WRONG_SHARE_MAX = 0.2;
const ROUNDS_MAX = 3;

const isSound = ({ asked, wrong }: { asked: number; wrong: number }): boolean => wrong <= asked * WRONG_SHARE_MAX;
/** Whether what a model calls borne out may count: it did not call false controls so. */
export const mayRaise = ({ falseControls }: Member): boolean => isSound(falseControls);
/** Whether what a model denies may count: it did not deny true controls. */
export const mayLower = ({ trueControls }: Member): boolean => isSound(trueControls);

type Rounds<Opinion> = {
  members: readonly Member[];
  open: readonly number[];
  /** Answers by index; what the budget did not pay for has none. @throws {CheckFailure} when the model fails */
  read: (
    member: Member,
    indexes: readonly number[],
    seen: (index: number, opinion: Opinion | undefined) => void,
  ) => Promise<void>;
  isSettled: (index: number, readings: readonly Reading<Opinion>[]) => boolean;
};

/**
 * Asks the first model about everything, and another only about what the first leaves open. It learns which words nothing
 * has shown so far, never what another said of them. A model that fails is left out while another answers; a model that is
 * alone reads what is open again itself.
 *
 * @throws {CheckFailure} when no model is left and something was not read at all
 */
export async function readInRounds<Opinion>({
  members,
  open,
  read,
  isSettled,
}: Rounds<Opinion>): Promise<Map<number, Reading<Opinion>[]>> {
  const readings = new Map<number, Reading<Opinion>[]>(open.map((index) => [index, []]));
  const past: Member[] = [];
  let left = open;
  while (left.length > 0 && past.length < ROUNDS_MAX) {
    const member = nextReader(members, past);
    if (member === undefined) break;
    try {
      await read(member, left, (index, opinion) => readings.get(index)?.push({ member, opinion }));
      past.push(member);
    } catch (cause) {
      if (!(cause instanceof CheckFailure)) throw cause;
      member.failure = cause;
    }
    left = left.filter((index) => !isSettled(index, readings.get(index) ?? []));
  }
  const failed = members.find(({ failure }) => failure !== undefined);
  const unread = left.some((index) => readings.get(index)?.length === 0);
  if (unread && members.every(({ failure }) => failure !== undefined)) throw failed?.failure;
  return readings;
}

function nextReader(members: readonly Member[], past: readonly Member[]): Member | undefined {
  const alive = members.filter(({ failure }) => failure === undefined);
  const fresh = alive.find((member) => !past.includes(member));
  const [only] = alive;
  if (fresh !== undefined || alive.length !== 1 || only === undefined) return fresh;
  return mayRaise(only) ? only : undefined;
}

const AT_ONCE = 4;

/** Runs the first batch alone, so that a provider has kept what all share, then a few at a time; stops at a failure. */
export async function inBatches<T>(
  items: readonly T[],
  size: number,
  run: (batch: T[]) => Promise<void>,
): Promise<void> {
  const batches: T[][] = [];
  for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size));
  const [first, ...rest] = batches;
  if (first !== undefined) await run(first);
  let failed: { cause: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (let batch = rest.shift(); batch !== undefined && failed === undefined; batch = rest.shift())
      await run(batch).catch((cause) => {
        failed ??= { cause };
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failed !== undefined) throw failed.cause;
}
