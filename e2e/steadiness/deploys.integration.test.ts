import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { deployUnderLoad } from './deploys.ts';

const service = await startService({ STOP_DELAY_SECONDS: '0.6' });

it('a deploy under load, and a column that every table gets, lose no request', { timeout: 600_000 }, async () => {
  const { answered } = await deployUnderLoad(service, 1);
  expect(answered).toBeGreaterThan(50);
});
