import { afterAll } from 'vitest';
import { openStage } from './kill-points/stage.ts';
import { declareTrials } from './kill-points/trials.ts';

const stage = await openStage();
declareTrials(stage, 20);
afterAll(() => console.log(`The slowest of them went on after ${stage.slowest()} s.`));
