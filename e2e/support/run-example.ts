import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Agent } from './agent.ts';
import { payAt } from './card.ts';
import type { Service } from './service.ts';

/** What an example printed, the jobs that its buyer has then, and the verdict on the first. */
interface Ran {
  out: string;
  err: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the list has them.
  jobs: any[];
  verdict: string;
}

/**
 * Runs an example as a buyer does, with a model at `modelUrl`: with a wallet of its own, or with the credential of a
 * `registered` agent; then a person pays by card at the link that it prints.
 */
export async function runExample(
  file: string,
  service: Service,
  { modelUrl = '', registered }: { modelUrl?: string; registered?: Agent | undefined } = {},
): Promise<Ran> {
  const { baseUrl, sandbox } = service;
  const response = await fetch(`${sandbox.controlUrl}/wallets`, { method: 'POST' });
  const { private_key } = (await response.json()) as { private_key: `0x${string}` };
  const env = {
    NODE_ENV: 'test' as const,
    BASE_URL: baseUrl,
    ...(registered ? { CREDENTIAL: registered.token } : { WALLET_KEY: private_key }),
    MODEL_URL: modelUrl,
    MODEL: 'scripted',
  };
  const printed = await new Promise<{ out: string; err: string }>((done) => {
    const running = execFile(process.execPath, [file], { env }, (_, out, err) => done({ out, err }));
    createInterface({ input: running.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const [, link] = /^Pay at (\S+)$/.exec(line) ?? [];
      if (registered && link) void payAt(service, registered, link);
    });
  });
  const buyer = registered ?? new Agent(baseUrl, private_key);
  if (!registered) await buyer.signIn();
  const { jobs } = (await buyer.get('/api/agent/v1/jobs')).body;
  const report = await buyer.get(`/api/agent/v1/jobs/${jobs[0]?.job_key}/report`);
  return { ...printed, jobs, verdict: report.body.verdict };
}
