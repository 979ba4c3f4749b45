import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent as Connections, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { freePort } from '../sandbox/ports.ts';
import { wealthyAgent } from './steadiness/buyers.ts';
import { nginxSite } from './support/handbook.ts';
import { resultOf } from './support/installed.ts';
import { startService } from './support/service.ts';

/** The handbook's site of nginx, run by nginx. `npm test` reads its text (commands/operating.test.ts). */
resultOf('nginx', ['-v']);
const service = await startService({ STOP_DELAY_SECONDS: '1' }, { alone: true });
const home = mkdtempSync(path.join(tmpdir(), 'nginx-'));
let nginx: ChildProcess | undefined;
afterAll(() => {
  nginx?.kill('SIGTERM');
  rmSync(home, { recursive: true, force: true });
});

interface Front {
  baseUrl: string;
  get(address: string): Promise<number>;
}

/** nginx before these ports; its own ports and folders are the trial's. */
async function startNginx(ports: string[]): Promise<Front> {
  const [key, certificate] = [path.join(home, 'key.pem'), path.join(home, 'certificate.pem')];
  const subject = ['-days', '2', '-subj', '/CN=work-check.example'];
  resultOf('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  const [secure, plain] = [await freePort(), await freePort()];
  const site = nginxSite()
    .replace('/etc/ssl/work-check.pem', certificate)
    .replace('/etc/ssl/work-check.key', key)
    .replaceAll('/var/log/nginx/', `${home}/`)
    .replace(/127\.0\.0\.1:300(\d)/g, (_, index) => `127.0.0.1:${ports[Number(index)]}`)
    .replace('listen 443', `listen 127.0.0.1:${secure}`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const file = path.join(home, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${home}/pid; error_log ${home}/main.log; events {} http { ${folders.join(' ')} ${site} }`,
  );
  nginx = spawn('nginx', ['-p', home, '-c', file], { stdio: 'ignore' });
  const agent = new Connections({ rejectUnauthorized: false, keepAlive: true });
  const get = (address: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host: 'work-check.example' };
      request({ host: '127.0.0.1', port: secure, path: address, agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });
  await vi.waitFor(() => expect(existsSync(path.join(home, 'pid'))).toBe(true), { timeout: 10_000 });
  await vi.waitFor(async () => expect(await get('/livez')).toBe(200), { timeout: 10_000 });
  return { baseUrl: `https://127.0.0.1:${secure}`, get };
}

/** Whole purchases, one after the other, until told to stop; one at least; resolves to how many. Rejects at a wrong answer. */
async function buyUntil(baseUrl: string, isOver: () => boolean): Promise<number> {
  const agent = (await wealthyAgent(service)).at(baseUrl);
  let bought = 0;
  do {
    const { status, text, body: quote } = await agent.quote();
    expect(status, text).toBe(201);
    const { status: authorized, text: said, body } = await agent.authorize(quote.quote_key);
    expect(authorized, said).toBe(201);
    const job = body.job_key;
    const paid = await agent.pay(job, { signature: await agent.signPayment(job) });
    expect(paid.status, paid.text).toBe(200);
    expect((await agent.job(job)).body.payment_state).toBe('collected');
    expect((await agent.get(`/api/agent/v1/jobs/${job}/receipt`)).status).toBe(200);
    bought += 1;
  } while (!isOver());
  return bought;
}

it('purchases go through TLS while processes are replaced, no request fails, and links stay out of its log', {
  timeout: 120_000,
}, async () => {
  const doors = await Promise.all([service.startDoor(), service.startDoor(), service.startDoor()]);
  // The fourth port is of the pair that does not run.
  const { get, baseUrl } = await startNginx([...doors.map(({ baseUrl }) => new URL(baseUrl).port), '9']);
  const failed: string[] = [];
  let asked = 0;
  let isOver = false;
  const ask = async (address: string) => {
    while (!isOver) {
      const status = await get(address).catch((error: Error) => error.message);
      asked += 1;
      if (status !== 200) failed.push(`${address}: ${status}`);
      await sleep(10);
    }
  };
  // The certificate of the trial is its own.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const buyers = Promise.all([1, 2].map(() => buyUntil(baseUrl, () => isOver)));
  buyers.catch(() => {});
  const load = ['/api/agent/v1/services/svc_work_check', '/.well-known/svc', '/livez', '/livez'].map(ask);
  for (const door of doors.slice(0, 2)) {
    await sleep(1_500);
    await door.stop();
  }
  await sleep(1_500);
  isOver = true;
  await Promise.all(load);
  expect(Math.min(...(await buyers))).toBeGreaterThan(0);
  vi.unstubAllEnvs();
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(50);
  await get('/sign-in?token=a-secret-of-a-letter');
  // nginx logs a request once its answer has left.
  const logged = () => readFileSync(path.join(home, 'work-check.log'), 'utf8');
  await expect.poll(logged, { timeout: 10_000 }).toContain('"GET /sign-in"');
  for (const file of ['work-check.log', 'work-check.error.log']) {
    expect(readFileSync(path.join(home, file), 'utf8')).not.toContain('a-secret-of-a-letter');
  }
});
