import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import { temporarySandbox } from '../../sandbox/temporary-sandbox.ts';
import { buyers, wealthyAgent } from '../steadiness/buyers.ts';
import type { Agent } from '../support/agent.ts';
import { chainDifferences } from '../support/chain-books.ts';
import { chainHand } from '../support/chain-hand.ts';
import { roleSettings } from '../support/handbook.ts';
import type { Service } from '../support/service.ts';
import { type Fault, faults, type Stage } from './faults.ts';
import {
  databaseAt,
  deploy,
  filledIn,
  install,
  observe,
  openDatabase,
  pooledClients,
  prepare,
  setVariables,
  startPooler,
} from './installation.ts';
import { Machine } from './machine.ts';

/**
 * The handbook, followed word for word on an empty Debian with systemd: its units, its site of nginx, its rights, its
 * commands in order, its rules for Prometheus. Nothing of it is typed again here.
 */
const address = 'https://127.0.0.1';
const patienceMs = 240_000;
const minute = 60_000;

const sandbox = await temporarySandbox();
const control = controlClient(sandbox.controlUrl);
const machine = await Machine.boot(700);
const pool = openDatabase();
const service = { baseUrl: address, sandbox, database: { pool } } as unknown as Service;
/** Prints a line of the results. */
const tell = (line: string) => process.stdout.write(`${line}\n`);
let stage: Stage;

beforeAll(async () => {
  // The certificate of the trial is its own.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  await prepare(machine);
  await install(machine, await filledIn(sandbox));
  await observe(machine, 'first');
  stage = { machine, sandbox, agent: await wealthyAgent(service) };
}, 20 * minute);

afterAll(async () => {
  vi.unstubAllEnvs();
  await pool.end();
  await machine.close();
  await sandbox.stop();
  // On a busy machine, deleting what was built takes more than five minutes.
}, 20 * minute);

interface Alert {
  state: 'pending' | 'firing';
  labels: Record<string, string>;
}

/** What Prometheus says is wrong. */
async function firing(): Promise<Record<string, string>[]> {
  const answer = await fetch('http://127.0.0.1:9090/api/v1/alerts');
  const { data } = (await answer.json()) as { data: { alerts: Alert[] } };
  return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
}

const namesFiring = async () => [...new Set((await firing()).map(({ alertname = '' }) => alertname))].toSorted();

/** Resolves once this alert fires, to how many seconds that took. */
async function untilFires({ alert, labels = {} }: Fault['alerts'][number], since: number): Promise<number> {
  const wanted = expect.arrayContaining([expect.objectContaining({ alertname: alert, ...labels })]);
  await expect.poll(firing, { timeout: patienceMs, interval: 500 }).toEqual(wanted);
  return Math.round((performance.now() - since) / 1000);
}

/** Buys a check and reads its report, with patience for what is just getting well. */
async function buyInPeace(agent: Agent): Promise<void> {
  const job = await vi.waitFor(
    async () => {
      const { status, text } = await agent.quote();
      expect(status, text).toBe(201);
      const paid = await agent.paidJob();
      expect((await agent.job(paid)).body.payment_state).toBe('collected');
      return paid;
    },
    { timeout: patienceMs, interval: 500 },
  );
  await expect
    .poll(async () => (await agent.job(job)).body?.state, { timeout: patienceMs, interval: 500 })
    .toBe('delivered');
  expect((await agent.get(`/api/agent/v1/jobs/${job}/report`)).status).toBe(200);
}

/** Two buyers, whose first wrong answer ends this, and four readers. */
function bearLoad() {
  const buying = buyers(service, 2, address);
  const isOver = new AbortController();
  const failed: string[] = [];
  let asked = 0;
  const reading = ['/api/agent/v1/services/svc_work_check', '/.well-known/svc', '/status', '/'].map(async (where) => {
    while (!isOver.signal.aborted) {
      const status = await fetch(address + where).then(
        async (answer) => (await answer.text()) && answer.status,
        (error: Error) => error.message,
      );
      asked += 1;
      if (status !== 200) failed.push(`${where}: ${status}`);
      await sleep(20);
    }
  });
  return {
    buyers: buying,
    async stop() {
      await buying.stop();
      isOver.abort();
      await Promise.all(reading);
      return { purchases: buying.purchases.length, asked, failed };
    },
  };
}

const units = ['web@3002', 'web@3003', 'worker@14003', 'worker@14004'].map((name) => `work-check-${name}`);
const restartAll = () => machine.run(`systemctl restart ${units.join(' ')}`);
/** A command with the service's environment, as the handbook runs every one. */
const command = (words: string) => machine.run(`cd /opt/work-check && runuser -u work-check -- ${words}`);

describe('the handbook, followed on an empty Debian', () => {
  it('installs a service that sells through TLS, and of which no alert is told but that nothing is archived', async () => {
    await buyInPeace(stage.agent);
    const states = await machine.run(`systemctl is-active 'work-check-*'`);
    expect(states.trim().split('\n')).toEqual(['active', 'active', 'active', 'active']);
    await expect.poll(namesFiring, { timeout: patienceMs, interval: 1_000 }).toEqual(['BackupOld']);
    const exposure = await machine.run(`systemd-analyze security --no-pager work-check-web@3000 | tail -1`);
    tell(`units: ${exposure.replace(/.*Overall/, 'overall').trim()}`);
  });

  it('puts a new version in the place of the old, and loses no request', async () => {
    let load: ReturnType<typeof bearLoad> | undefined;
    await deploy(machine, async () => {
      load = bearLoad();
      await load.buyers.more(2);
    });
    await observe(machine, 'next');
    await load?.buyers.more(2);
    const { purchases = 0, asked = 0, failed = [] } = (await load?.stop()) ?? {};
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThan(100);
    tell(`deploy: ${purchases} purchases and ${asked} requests of readers, none failed`);
    const serving = await machine.run(`systemctl list-units --plain --no-legend 'work-check-*' | cut -d' ' -f1`);
    expect(serving.match(/@\d+/g)).toEqual(['@3002', '@3003', '@14003', '@14004']);
  });
});

describe('what the handbook says besides', () => {
  it('holds of its rules for Prometheus, by the word of its tool', async () => {
    const judged = await machine.run('cd /opt/work-check/docs && promtool test rules alerts-test.yml');
    expect(judged).toContain('SUCCESS');
  });

  it('holds of a port that is taken: a second process there ends, and says why', async () => {
    await expect(command('env PORT=3002 npm start')).rejects.toThrow(/PORT 3002 of 127.0.0.1 cannot be listened on/);
  });

  it('holds of receipt keys: root rotates them, and they stay those of the service', async () => {
    const owner = () => machine.run("stat -c '%U %a' /var/lib/work-check/receipt-keys.json");
    const before = await owner();
    await machine.run('cd /opt/work-check && npm run receipt-keys -- rotate');
    expect([before, await owner()]).toEqual(['work-check 600\n', 'work-check 600\n']);
  });

  it('holds of PgBouncer: refused in transaction mode, and by session once the role has its settings', async () => {
    const through = { DATABASE_URL: databaseAt(6432) };
    const checked = () => command(`env DATABASE_URL=${through.DATABASE_URL} npm start -- --check-config`);
    await startPooler(machine, 'transaction');
    await expect(checked()).rejects.toThrow(/transaction mode/);
    await startPooler(machine, 'session');
    await expect(checked()).rejects.toThrow(/takes no settings/);
    for (const [name, value] of Object.entries(roleSettings())) {
      await pool.query(`alter role work_check set ${name} = '${value}'`);
    }
    // What it opened before has not heard of that.
    await startPooler(machine, 'session');
    expect(await checked()).toContain('The environment is complete.');
    await setVariables(machine, through);
    await restartAll();
    await buyInPeace(stage.agent);
    const pooled = await pooledClients(machine);
    expect(pooled).toBeGreaterThan(4);
    await setVariables(machine, { DATABASE_URL: databaseAt(5432) });
    await restartAll();
    tell(`PgBouncer: a purchase over ${pooled} connections by session`);
  });
});

describe('a fault is named by its alert, and survived', () => {
  it.each(faults)('$what', async (fault) => {
    const began = performance.now();
    await fault.begin(stage);
    const seconds: number[] = [];
    for (const alert of fault.alerts) seconds.push(await untilFires(alert, began));
    await fault.meanwhile?.(stage);
    await fault.mend(stage);
    await buyInPeace(stage.agent);
    const names = fault.alerts.map(({ alert, labels }) => [alert, ...Object.values(labels ?? {})].join(' '));
    tell(`${fault.what}: ${names.map((name, index) => `${name} after ${seconds[index]} s`).join(', ')}`);
  });

  it('a web process freezes: systemd kills it and starts another, and no reader is refused', async () => {
    const of = (name: string) => machine.run(`systemctl show --value -p ${name} work-check-web@3002`);
    const before = await of('MainPID');
    await machine.run('systemctl kill --kill-whom=main --signal=STOP work-check-web@3002');
    const began = performance.now();
    const answers: number[] = [];
    while ((await of('ActiveState')).trim() !== 'active' || (await of('MainPID')) === before) {
      answers.push((await stage.agent.get('/api/agent/v1/services/svc_work_check')).status);
      expect(performance.now() - began).toBeLessThan(patienceMs);
    }
    expect([...new Set(answers)]).toEqual([200]);
    expect(await machine.run('journalctl -u work-check-web@3002 -o cat')).toContain('watchdog');
    tell(`frozen: replaced after ${Math.round((performance.now() - began) / 1000)} s, readers were answered`);
  });
});

describe('a key that leaked', () => {
  const chain = 84_532;

  it('is named by alerts when a thief uses it, and replaced as the handbook says, with nothing else lost', async () => {
    const hand = await chainHand(sandbox.controlUrl, chain);
    const owner = privateKeyToAccount(sandbox.payToKey);
    const thief = privateKeyToAccount(generatePrivateKey());
    const began = performance.now();
    const stolen = await hand.call(hand.transferCall(await hand.sign(owner, thief.address, 1_000_000n)));
    const books = await untilFires({ alert: 'TransferUnexplained', labels: { use: 'outgoing' } }, began);
    tell(`a thief: TransferUnexplained outgoing after ${books} s`);

    await command('npm run switch -- x402 off "a key leaked"');
    const key = generatePrivateKey();
    const next = privateKeyToAccount(key);
    await setVariables(machine, {
      X402_PAY_TO: `${next.address},${sandbox.payTo}`,
      X402_REFUND_KEY: `${key},${sandbox.payToKey}`,
    });
    await restartAll();
    const held = await hand.balanceOf(owner.address);
    await hand.call(hand.transferCall(await hand.sign(owner, next.address, held)));
    await command(`npm run money -- withdrawal eip155:${chain} ${stolen}`);
    await command('npm run switch -- x402 on "a new address"');
    await buyInPeace(stage.agent);
    const paid = await control.transfers(chain, { from: stage.agent.wallet.address, to: next.address });
    expect(paid.length).toBeGreaterThan(0);
    await expect.poll(() => command('npm run money'), { timeout: patienceMs, interval: 2_000 }).toMatch(/they agree/);
    // Rules that look back for longer may still tell of the faults before.
    const ofMoney = async () => (await namesFiring()).filter((name) => /^(?:Books|Transfer|Refund|Payment)/.test(name));
    await expect.poll(ofMoney, { timeout: patienceMs, interval: 1_000 }).toEqual([]);
  });
});

it('in the end the books and the chains agree, and every purchase was delivered', async () => {
  expect(await chainDifferences(pool, sandbox.controlUrl)).toEqual([]);
  const { rows } = await pool.query(
    `select state, count(*)::int from jobs where payment_state = 'collected' group by 1`,
  );
  expect(rows.map(({ state }) => state)).toEqual(['delivered']);
  tell(`purchases: ${rows[0].count} delivered`);
});
