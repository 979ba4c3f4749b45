import { execFile } from 'node:child_process';
import { Agent } from './agent.ts';
import type { Service } from './service.ts';

/** What an example printed, the jobs that its wallet has then, and the verdict on the first. */
interface Ran {
  out: string;
  err: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the list has them.
  jobs: any[];
  verdict: string;
}

/** Runs an example as a buyer does, with a wallet of its own and a model at `modelUrl`. */
export async function runExample(file: string, { baseUrl, sandbox }: Service, modelUrl = ''): Promise<Ran> {
  const response = await fetch(`${sandbox.controlUrl}/wallets`, { method: 'POST' });
  const { private_key } = (await response.json()) as { private_key: `0x${string}` };
  const env = {
    NODE_ENV: 'test' as const,
    BASE_URL: baseUrl,
    WALLET_KEY: private_key,
    MODEL_URL: modelUrl,
    MODEL: 'scripted',
  };
  const printed = await new Promise<{ out: string; err: string }>((done) =>
    execFile(process.execPath, [file], { env }, (_, out, err) => done({ out, err })),
  );
  const buyer = new Agent(baseUrl, private_key);
  await buyer.signIn();
  const { jobs } = (await buyer.get('/api/agent/v1/jobs')).body;
  const report = await buyer.get(`/api/agent/v1/jobs/${jobs[0]?.job_key}/report`);
  return { ...printed, jobs, verdict: report.body.verdict };
}
