import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Sandbox } from '../../sandbox/start.ts';
import { archiving, deploying, installing, nginxSite, unitFiles } from '../support/handbook.ts';
import { environmentOf, withCard } from '../support/service.ts';
import type { Machine } from './machine.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const password = randomBytes(12).toString('hex');
const variables = '/etc/work-check.env';
const databaseFolder = '/var/lib/postgresql';

/** The first version and the next: the folder that the handbook names, and one of a later day. */
const releases = ['/opt/work-check-2026-11-24', '/opt/work-check-2026-11-25'] as const;

/** What PostgreSQL, a certificate and the files of the handbook need to be there before its commands run. */
export async function prepare(machine: Machine): Promise<void> {
  await machine.run(`
    set -e
    id postgres || useradd --system --home-dir ${databaseFolder} postgres
    install -d -o postgres -g postgres /backup /backup/log
    install -d -o postgres -g postgres -m 0700 ${databaseFolder}/data /var/lib/log-of-writes
    runuser -u postgres -- /usr/local/pgsql/bin/initdb -D ${databaseFolder}/data --waldir=/var/lib/log-of-writes \\
      -U postgres --auth=trust --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C`);
  await machine.write(
    `${databaseFolder}/data/pg_hba.conf`,
    'local all all trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  );
  // As the handbook asks of who starts all new processes before it stops the old.
  await machine.run(`cat >> ${databaseFolder}/data/postgresql.conf`, postgresSettings({ max_connections: '200' }));
  await machine.write(
    '/etc/systemd/system/postgresql-18.service',
    `[Service]
User=postgres
RuntimeDirectory=postgresql
ExecStart=/usr/local/pgsql/bin/postgres -D ${databaseFolder}/data -c unix_socket_directories=/run/postgresql
KillSignal=SIGINT
`,
  );
  await machine.run('systemctl start postgresql-18 && timeout 8 sh -c "until pg_isready -q; do sleep 0.2; done"');
  for (const [file, text] of Object.entries(unitFiles())) await machine.write(file, text);
  await putCertificate(machine, 90);
  await machine.write('/etc/nginx/sites-enabled/work-check', nginxSite());
  await machine.run('systemctl daemon-reload && nginx -t && systemctl restart nginx');
}

const postgresSettings = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');

/** Has PostgreSQL archive its log as the handbook says, from its next start on. */
export async function archiveLog(machine: Machine): Promise<void> {
  await machine.run(`cat >> ${databaseFolder}/data/postgresql.conf`, postgresSettings(archiving('/backup/log')));
}

/** A certificate of its own for so many days, which this machine believes. */
export async function putCertificate(machine: Machine, days: number): Promise<void> {
  const names = 'subjectAltName=DNS:work-check.example,IP:127.0.0.1';
  await machine.run(`set -e
    openssl req -x509 -newkey rsa:2048 -nodes -days ${days} -subj /CN=work-check.example -addext ${names} \\
      -keyout /etc/ssl/work-check.key -out /etc/ssl/work-check.pem
    cp /etc/ssl/work-check.pem /usr/local/share/ca-certificates/work-check.crt
    update-ca-certificates --fresh
    systemctl try-reload-or-restart nginx
    systemctl restart prometheus-blackbox-exporter`);
}

/**
 * Prometheus asks what docs/prometheus.yml says, every two seconds; the rules of docs/alerts.yml wait a tenth as long,
 * 20 seconds at most, and compare with the same numbers.
 */
export async function observe(machine: Machine, serving: 'first' | 'next'): Promise<void> {
  const asked = readFileSync(path.join(docs, 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '2s')
    .replaceAll('scrape_timeout: 5s', 'scrape_timeout: 2s');
  const [web, worker] =
    serving === 'first'
      ? [
          [0, 1],
          [1, 2],
        ]
      : [
          [2, 3],
          [3, 4],
        ];
  const targets = asked
    .replace('"127.0.0.1:13000", "127.0.0.1:13001"', web.map((port) => `"127.0.0.1:1300${port}"`).join(', '))
    .replace('"127.0.0.1:14001", "127.0.0.1:14002"', worker.map((port) => `"127.0.0.1:1400${port}"`).join(', '));
  const rules = readFileSync(path.join(docs, 'alerts.yml'), 'utf8').replaceAll(
    /\bfor: (\d+)([mh])\b/g,
    (_, count, unit) => `for: ${Math.min(20, Number(count) * (unit === 'h' ? 360 : 6))}s`,
  );
  await machine.write('/etc/prometheus/prometheus.yml', targets);
  await machine.write('/etc/prometheus/alerts.yml', rules);
  await machine.run('promtool check config /etc/prometheus/prometheus.yml && systemctl restart prometheus');
}

/** The service's database behind this port: PostgreSQL's own, or that of PgBouncer. */
export const databaseAt = (port: number): string => `postgresql://work_check:${password}@127.0.0.1:${port}/work_check`;

/** PgBouncer before the database, in this mode, with the setting that the handbook asks for. */
export async function startPooler(machine: Machine, mode: 'session' | 'transaction'): Promise<void> {
  const pooler = { listen_addr: '127.0.0.1', listen_port: '6432', auth_type: 'scram-sha-256', pool_mode: mode };
  const more = { auth_file: '/etc/pgbouncer/userlist.txt', stats_users: 'work_check', default_pool_size: '90' };
  const lines = Object.entries({ ...pooler, ...more, ignore_startup_parameters: 'options' });
  await machine.write('/etc/pgbouncer/userlist.txt', `"work_check" "${password}"\n`);
  await machine.write(
    '/etc/pgbouncer/pgbouncer.ini',
    `[databases]
work_check = host=127.0.0.1 port=5432
[pgbouncer]
${lines.map(([name, value]) => `${name} = ${value}\n`).join('')}`,
  );
  await machine.run('chown -R postgres /etc/pgbouncer && systemctl restart pgbouncer');
}

/** How many connections to the database go through PgBouncer. */
export async function pooledClients(machine: Machine): Promise<number> {
  const lists = await machine.run("psql -At -h 127.0.0.1 -p 6432 -U work_check pgbouncer -c 'show lists'", '', {
    PGPASSWORD: password,
  });
  return Number(/^used_clients\|(\d+)$/m.exec(lists)?.[1]);
}

/** The environment of the service, as whoever installs it fills in .env.example. */
export async function filledIn(sandbox: Sandbox): Promise<Record<string, string>> {
  const {
    PORT: _,
    STOP_DELAY_SECONDS: __,
    ...values
  } = environmentOf(
    `postgresql://work_check:${password}@127.0.0.1:5432/work_check`,
    3000,
    '/var/lib/work-check',
    sandbox,
  );
  const address = 'https://work-check.example';
  return {
    ...values,
    BASE_URL: address,
    NEXTAUTH_URL: address,
    TRUSTED_PROXIES: '1',
    ...(await withCard(sandbox)),
  };
}

/** Sets variables in the service's file: in place where it has them, also as a comment, else at its end. */
export async function setVariables(machine: Machine, values: Record<string, string>): Promise<void> {
  let text = await machine.run(`cat ${variables}`);
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}=${/["#]/.test(value) ? JSON.stringify(value) : value}`;
    const place = new RegExp(`^(?:# )?${name}=.*$`, 'm');
    text = place.test(text) ? text.replace(place, () => line) : `${text}\n${line}\n`;
  }
  // Not a new file, whose owner and rights would be others.
  await machine.run(`cat > ${variables}`, text);
}

/** Runs the handbook's commands that install, in order, on a machine that has the version in its folder. */
export async function install(machine: Machine, values: Record<string, string>): Promise<void> {
  await machine.putProject(releases[0]);
  await follow(machine, installing(), async (line) => {
    if (line.includes('and fill it in')) await setVariables(machine, values);
  });
}

/**
 * Runs the handbook's commands that deploy, in order, and `onceBuilt` after the one that builds; the new version has a
 * migration.
 */
export async function deploy(machine: Machine, onceBuilt: () => Promise<void>): Promise<void> {
  const [, release] = releases;
  await machine.putProject(release);
  const column = 'set local lock_timeout = 1000; alter table jobs add column of_the_next_version integer;\n';
  await machine.write(`${release}/prisma/migrations/20991231000000_next/migration.sql`, column);
  const lines = deploying().map((line) => line.replace(releases[0], release));
  await follow(machine, lines, async (line) => {
    if (line.includes('npm run build')) await onceBuilt();
  });
}

/** Runs lines of the handbook as root; what they leave to the reader is filled in. */
async function follow(machine: Machine, lines: readonly string[], after?: (line: string) => Promise<void>) {
  let state = 'set -e\n';
  for (const printed of lines) {
    const line = printed
      .replaceAll(/:…@(?=127\.)/g, `:${password}@`)
      .replaceAll(/:…@… /g, `:${password}@127.0.0.1:5432/work_check `)
      .replaceAll('@…/', '@127.0.0.1:5432/');
    if (/^(?:\w+=\S+|cd \S+)\s*(?:#.*)?$/.test(line)) {
      state += `${line}\n`;
      continue;
    }
    const passwords = `${password}\n`.repeat(4);
    await machine.run(`${state}${line}`, line.includes('\\password') ? passwords : '', { PGUSER: 'postgres' });
    await after?.(printed);
  }
}

/** The service's database, as its superuser. */
export function openDatabase(): pg.Pool {
  const pool = new pg.Pool({ connectionString: 'postgresql://postgres@127.0.0.1:5432/work_check', max: 3 });
  // The server is stopped in the course of this.
  pool.on('error', () => {});
  return pool;
}
