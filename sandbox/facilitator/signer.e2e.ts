import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { facilitatorAccounts, sellerAccount } from '../chain/accounts.ts';
import { startAnvil } from '../chain/anvil.ts';
import { createSigner } from './signer.ts';

const CHAIN_ID = 31_337;
const ROUNDS = 60;
const AT_ONCE = 10;

it('has every transaction mined, however many are sent at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const anvil = await startAnvil(CHAIN_ID, join(folder, 'chain.json'));
  onTestFinished(anvil.stop);
  const signer = createSigner(CHAIN_ID, anvil.rpcUrl, facilitatorAccounts());

  const send = async (): Promise<string> => {
    const hash = (await signer.sendTransaction({ to: sellerAccount().address, data: '0x' })) as Hex;
    return (await signer.waitForTransactionReceipt({ hash })).status;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, send));
    expect(outcomes).toEqual(Array(AT_ONCE).fill('success'));
  }
});
