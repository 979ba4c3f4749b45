import { it } from 'vitest';
import { buyWithLosses } from './support/lossy-purchases.ts';
import { startService } from './support/service.ts';

const service = await startService();

it('sells 200 checks for 200 charges to 20 wallets that lose 30% of what they send, over every door', async () => {
  await buyWithLosses(service, { wallets: 20, each: 10 });
});
