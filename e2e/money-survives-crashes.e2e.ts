import { openStage } from './kill-points/stage.ts';
import { declareTrials } from './kill-points/trials.ts';

declareTrials(await openStage(), 1);
