import { beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../e2e/support/card.ts';
import { callFaults, faultPoints, faultStage, newsFaults, tryFault } from '../../../e2e/support/card-faults.ts';
import { chosenPart, shareOf } from '../../../e2e/support/part.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';

const service = await startService(withCard);
let stage: Awaited<ReturnType<typeof faultStage>>;
beforeAll(async () => {
  await listen(service);
  stage = await faultStage(service);
});

const rounds = shareOf(20, chosenPart());

describe.each(faultPoints)('$flow: $call', ({ flow, call }) => {
  it.each(callFaults)(`%s, ${rounds} times with all that may happen to announcements`, async (fault) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const news of newsFaults) await tryFault(stage, { flow, call, fault, news });
      expect(await service.broken()).toEqual([]);
    }
  });
});
