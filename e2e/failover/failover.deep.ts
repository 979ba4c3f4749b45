import { afterAll, expect, it } from 'vitest';
import { chosenPart, shareOf } from '../support/part.ts';
import { Failover, type Lost } from './failover.ts';

const rounds = shareOf(20, chosenPart());
/** Every so many rounds the replica is lost as well. */
const replicaEvery = 4;

let failover: Failover | undefined;
afterAll(() => failover?.close());

it('purchases go on whichever machine is lost, and nothing acknowledged is', async () => {
  failover = await Failover.open();
  const lost: Lost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    lost.push(await failover.losePrimary());
    if (round % replicaEvery === 0) lost.push(await failover.loseReplica());
    console.log(`${lost.length} lost, ${failover.bought} bought, ${failover.later} times told to come back later`);
  }
  await failover.end();
  for (const what of ['primary', 'replica'] as const) {
    const seconds = lost.filter((one) => one.what === what).map(({ goneOnMs }) => goneOnMs / 1_000);
    const sorted = seconds.toSorted((one, other) => one - other).map((one) => one.toFixed(1));
    console.log(`${what}: ${sorted.length} times, gone on after ${sorted.join(', ')} s; ${failover.bought} purchases`);
    expect(sorted.length).toBeGreaterThan(0);
  }
});
