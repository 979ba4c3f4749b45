import { afterAll } from 'vitest';
import { openStage } from './kill-points/stage.ts';
import { declareTrials } from './kill-points/trials.ts';
import { chosenPart, shareOf } from './support/part.ts';

const stage = await openStage({ pages: true });
declareTrials(stage, shareOf(20, chosenPart()), { isDeep: true });
afterAll(() => console.log(`The slowest of them went on after ${stage.slowest()}`));
