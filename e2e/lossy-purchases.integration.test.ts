import { it } from 'vitest';
import { buyWithLosses } from './support/lossy-purchases.ts';
import { startService } from './support/service.ts';

const service = await startService();

it('sells 10 checks for 10 charges to 5 wallets that lose 30% of what they send, over every door', async () => {
  await buyWithLosses(service, { wallets: 5, each: 2 });
});
