import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect } from 'vitest';
import { controlClient } from '../../sandbox/control-client.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import type { Agent } from '../support/agent.ts';
import { registrationFor } from '../support/letter.ts';
import { archiveLog, putCertificate } from './installation.ts';
import type { Machine } from './machine.ts';

/** What a fault strikes, and who watches. */
export interface Stage {
  readonly machine: Machine;
  readonly sandbox: Sandbox;
  /** A buyer through nginx. */
  readonly agent: Agent;
}

/** What goes wrong, the alerts that name it, and what mends it. */
export interface Fault {
  readonly what: string;
  /** Names of rules, each with the labels that say what it is about. */
  readonly alerts: readonly { readonly alert: string; readonly labels?: Readonly<Record<string, string>> }[];
  begin(stage: Stage): Promise<unknown>;
  /** What must hold while it lasts, once the alerts have fired. */
  meanwhile?(stage: Stage): Promise<unknown>;
  mend(stage: Stage): Promise<unknown>;
}

const web = (port: number) => `work-check-web@${port}`;
const worker = (port: number) => `work-check-worker@${port}`;
const contract = '/api/agent/v1/services/svc_work_check';

/** Adds settings to an instance, as `systemctl edit --runtime` does, and starts it anew. */
async function edit({ machine }: Stage, instance: string, settings: string): Promise<void> {
  await machine.write(`/run/systemd/system/${instance}.service.d/trial.conf`, `[Service]\n${settings}\n`);
  await machine.run(`systemctl daemon-reload && systemctl restart ${instance}`);
}

/** Takes these back. A frozen process hears nothing but a kill. */
const revert = ({ machine }: Stage, instance: string) =>
  machine.run(`rm -r /run/systemd/system/${instance}.service.d && systemctl daemon-reload
    systemctl kill --signal=KILL ${instance}; systemctl start ${instance}`);

const clockSettings = [
  'Environment="NODE_OPTIONS=--import /opt/work-check/e2e/support/shifted-clock.ts"',
  `Environment=CLOCK_SHIFT_SECONDS=${32 * 86_400} CLOCK_SHIFT_LATER=yes`,
].join('\n');

const sessions: pg.Client[] = [];

/** Of the issue that asked for this trial, in its order; each begins on a service that is well. */
export const faults: readonly Fault[] = [
  {
    what: 'PostgreSQL archives no log',
    alerts: [{ alert: 'BackupOld' }],
    // So it was installed.
    begin: async () => {},
    mend: async ({ machine }) => {
      await archiveLog(machine);
      await machine.run('systemctl restart postgresql-18 && sleep 1 && psql -U postgres -c "select pg_switch_wal()"');
    },
  },
  {
    what: 'all web processes are stopped',
    alerts: [{ alert: 'NoWebProcess' }, { alert: 'UnreachableFromOutside' }],
    begin: ({ machine }) => machine.run(`systemctl stop ${web(3002)} ${web(3003)}`),
    meanwhile: async ({ agent }) => expect((await agent.get(contract)).status).toBe(502),
    mend: ({ machine }) => machine.run(`systemctl start ${web(3002)} ${web(3003)}`),
  },
  {
    what: 'all workers are stopped',
    alerts: [{ alert: 'NoWorker' }],
    begin: ({ machine }) => machine.run(`systemctl stop ${worker(14003)} ${worker(14004)}`),
    mend: ({ machine }) => machine.run(`systemctl start ${worker(14003)} ${worker(14004)}`),
  },
  {
    what: 'a web process hangs, and no watchdog kills it',
    alerts: [{ alert: 'ProcessDown', labels: { job: 'work-check-web', instance: '127.0.0.1:13003' } }],
    begin: async (stage) => {
      await edit(stage, web(3003), 'WatchdogSec=0');
      await stage.machine.run(`systemctl kill --signal=STOP ${web(3003)}`);
    },
    mend: (stage) => revert(stage, web(3003)),
  },
  {
    what: 'Stripe answers 500',
    alerts: [{ alert: 'ProviderFails', labels: { provider: 'card' } }],
    begin: ({ sandbox }) =>
      controlClient(sandbox.controlUrl).stripe.fault({ mode: 'error_500', on: 'any', times: 'always' }),
    mend: ({ sandbox }) => controlClient(sandbox.controlUrl).stripe.clearFaults(),
  },
  {
    what: 'the mail server refuses letters',
    alerts: [{ alert: 'ProviderFails', labels: { provider: 'mail' } }],
    begin: async ({ sandbox, agent }) => {
      await controlClient(sandbox.controlUrl).mailFault({ mode: 'refuse', times: 'always', code: 451 });
      for (let count = 0; count < 5; count += 1) {
        const { status } = await agent.post(
          '/api/agent/v1/registrations',
          registrationFor(`${randomUUID()}@example.com`),
        );
        expect(status).toBe(202);
      }
    },
    meanwhile: async ({ machine }) =>
      expect(await machine.run(`journalctl -u 'work-check-worker@*' -o cat`)).toContain('"letter_not_sent"'),
    mend: ({ sandbox }) => controlClient(sandbox.controlUrl).clearMailFaults(),
  },
  {
    what: 'the facilitator answers 500',
    alerts: [{ alert: 'ProviderDown', labels: { provider: 'x402' } }],
    begin: ({ sandbox }) =>
      controlClient(sandbox.controlUrl).facilitatorFault({ mode: 'error_500', on: 'supported', times: 'always' }),
    mend: ({ sandbox }) => controlClient(sandbox.controlUrl).clearFacilitatorFaults(),
  },
  {
    what: 'the node of a chain answers 503',
    alerts: [{ alert: 'ProviderDown', labels: { provider: 'eip155:421614' } }],
    begin: ({ sandbox }) => controlClient(sandbox.controlUrl).chainFault(421_614, { mode: 'error' }),
    mend: ({ sandbox }) => controlClient(sandbox.controlUrl).clearChainFaults(421_614),
  },
  {
    what: 'the certificate ends in two days',
    alerts: [{ alert: 'CertificateEnds' }],
    begin: ({ machine }) => putCertificate(machine, 2),
    mend: ({ machine }) => putCertificate(machine, 90),
  },
  {
    what: 'PostgreSQL is stopped',
    alerts: [{ alert: 'ProviderDown', labels: { provider: 'database' } }],
    begin: ({ machine }) => machine.run('systemctl stop postgresql-18'),
    meanwhile: async ({ agent }) => {
      const { status, headers, body } = await agent.get('/api/agent/v1/me');
      expect([status, headers.has('retry-after'), body.reasons]).toEqual([503, true, ['database_unreachable']]);
    },
    mend: ({ machine }) => machine.run('systemctl start postgresql-18'),
  },
  {
    what: 'the disk of PostgreSQL is full',
    alerts: [{ alert: 'DatabaseFull' }, { alert: 'DiskFills', labels: { mountpoint: '/var/lib/postgresql' } }],
    begin: async ({ machine, agent }) => {
      await machine.run('dd if=/dev/zero of=/var/lib/postgresql/ballast bs=64K status=none || true');
      // Until no page that is there has room.
      await expect.poll(async () => (await agent.quote()).status, { timeout: 60_000, interval: 50 }).toBe(503);
    },
    meanwhile: async ({ machine, agent }) => {
      // A process believes half a minute after a write that failed that there is room, until the next one.
      const said = async () => {
        const { body } = await agent.quote();
        const ready = await machine.run('curl -s http://127.0.0.1:3002/readyz http://127.0.0.1:3003/readyz');
        return [body.reasons?.[0], ready.match(/database_full/g)?.length];
      };
      await expect.poll(said, { timeout: 60_000, interval: 50 }).toEqual(['database_full', 2]);
    },
    mend: ({ machine }) => machine.run('rm /var/lib/postgresql/ballast'),
  },
  {
    what: 'the clock of a machine goes 32 days ahead',
    alerts: [{ alert: 'ClockDiffers', labels: { instance: '127.0.0.1:14004' } }],
    begin: async (stage) => {
      await edit(stage, worker(14004), clockSettings);
      await stage.machine.run(`systemctl kill --kill-whom=main --signal=USR2 ${worker(14004)}`);
    },
    meanwhile: async ({ machine }) => {
      const kept = await machine.run(
        `psql -U postgres -At work_check -c 'select count(*) from quotes where input is not null'`,
      );
      expect(Number(kept)).toBeGreaterThan(0);
    },
    mend: (stage) => revert(stage, worker(14004)),
  },
  {
    what: 'somebody takes most connections of PostgreSQL',
    alerts: [{ alert: 'DatabaseConnectionsRunOut' }],
    begin: async () => {
      for (let used = 0; used < 185; ) {
        const client = new pg.Client({ connectionString: 'postgresql://postgres@127.0.0.1:5432/postgres' });
        await client.connect();
        sessions.push(client);
        used = (await client.query('select count(*)::int as used from pg_stat_activity')).rows[0].used;
      }
    },
    mend: async () => {
      for (const client of sessions.splice(0)) await client.end();
    },
  },
];
