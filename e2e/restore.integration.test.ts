import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { controlClient } from '../sandbox/control-client.ts';
import { Agent } from './support/agent.ts';
import { startService } from './support/service.ts';

const service = await startService();
const control = controlClient(service.sandbox.controlUrl);
const chain = 84532;

interface Buyer {
  agent: Agent;
  jobKey: string;
  signature: string;
}

async function money(...words: string[]): Promise<string> {
  const command = path.resolve(import.meta.dirname, '../commands/money.ts');
  const env = { ...process.env, DATABASE_URL: service.database.url };
  return (await promisify(execFile)(process.execPath, [command, ...words], { env })).stdout;
}

async function workerRounds(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    service.advanceClock(31);
    await service.sweep();
  }
  service.advanceClock(-124);
}

/** The buyer gets its report, disputes it, gets it again and disputes that: the money is to go back. */
async function disputeTwice({ agent, jobKey }: Buyer): Promise<void> {
  for (let report = 1; report <= 2; report += 1) {
    await service.execute(jobKey);
    const { report_digest } = (await agent.job(jobKey)).body;
    const body = { decision: 'dispute', reason: 'other', report_digest };
    expect((await agent.post(`/api/agent/v1/jobs/${jobKey}/review`, body)).status).toBe(200);
  }
}

const moved = async ({ agent }: Buyer) => ({
  in: (await control.transfers(chain, { from: agent.wallet.address, to: service.sandbox.payTo })).length,
  out: (await control.transfers(chain, { from: service.sandbox.payTo, to: agent.wallet.address })).length,
});

describe('a backup that is restored after 20 purchases', { timeout: 300_000 }, () => {
  it('collects nothing twice and gives nothing back twice, whoever repeats and disputes, and explains every unit', async () => {
    const buyers: Buyer[] = [];
    for (let count = 0; count < 20; count += 1) {
      const agent = await Agent.arrive(service);
      const jobKey = await agent.authorizedJob();
      buyers.push({ agent, jobKey, signature: await agent.signPayment(jobKey) });
    }
    // Of these the backup knows the payment, and not what came of it.
    const early = buyers.slice(0, 5);
    for (const { agent, jobKey, signature } of early) await agent.pay(jobKey, { signature });
    await service.sweep();
    const restore = await service.backup();

    for (const { agent, jobKey, signature } of buyers.slice(5)) await agent.pay(jobKey, { signature });
    const disputed = buyers.filter((_, index) => index % 2 === 0);
    for (const buyer of disputed) await disputeTwice(buyer);
    await workerRounds();
    for (const buyer of disputed) expect(await moved(buyer)).toEqual({ in: 1, out: 1 });

    await restore();
    await workerRounds();
    for (const { agent, jobKey, signature } of buyers) await agent.pay(jobKey, { signature });
    await workerRounds();
    for (const buyer of buyers) {
      const { state } = (await buyer.agent.job(buyer.jobKey)).body;
      // What went back before the restore is not collected again, except what the backup had collected.
      const isPaid = early.includes(buyer) || !disputed.includes(buyer);
      expect(state).toBe(isPaid ? 'queued' : 'awaiting_payment');
      if (isPaid) await disputeTwice(buyer);
    }
    await workerRounds();
    for (const buyer of buyers) expect(await moved(buyer)).toEqual({ in: 1, out: 1 });

    const told = await money();
    expect(told.match(/they agree/g)).toHaveLength(2);
    expect(told).toContain('eip155:84532: 0.00 USD on the chain, 0.00 USD in the books');
    expect(told).toContain('match no payment: 0');
    expect(told).toContain('no refund explains: 0');
    expect(told).toContain('not carried out: 0');
  });
});
