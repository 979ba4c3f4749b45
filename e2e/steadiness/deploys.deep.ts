import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { deployUnderLoad } from './deploys.ts';

const service = await startService({ STOP_DELAY_SECONDS: '3' });

it('deploys under load, and columns that every table gets, lose no request', async () => {
  const { answered } = await deployUnderLoad(service, 20);
  expect(answered).toBeGreaterThan(1_000);
});
