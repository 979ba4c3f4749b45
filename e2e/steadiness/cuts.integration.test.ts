import { afterAll, it } from 'vitest';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { startService } from '../support/service.ts';
import { cutBeside, cutsEveryMs } from './cuts.ts';

const service = await startService();
const proxy = await cuttingProxy(service.database.url);
afterAll(() => proxy.close());

it.each(cutsEveryMs)(
  'connections cut each %i ms end no process and lose nothing, and no answer is 500',
  { timeout: 180_000 },
  (ms) => cutBeside(service, proxy, ms, 15),
);
