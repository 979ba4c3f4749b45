import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { deploying, environmentFile, installing, nginxSite, unit, unitFiles } from '../e2e/support/handbook.ts';

const root = path.resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');
const operating = textOf('docs/operating.md');

/** What a pattern finds in a text, each once. */
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];
const namesIn = (folder: string) => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });

describe('docs/operating.md', () => {
  it('names commands, files, variables and tables that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const commands = found(operating, /npm run ([a-z][\w:-]*)/g);
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    const files = found(operating, /\b((?:server|e2e|commands|bench|docs)\/[\w./-]+\.\w+)/g);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const variables = found(operating, /`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g);
    expect(variables.length).toBeGreaterThan(20);
    const known = textOf('.env.example');
    expect(variables.filter((name) => !known.includes(name))).toEqual([]);
    const schema = textOf('prisma/schema.prisma');
    const tables = found(operating, /`(\w+(?:_rows|_transfers|_claims|_seals|_texts|_differences))`/g);
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter((name) => !schema.includes(`@@map("${name}")`))).toEqual([]);
  });

  it('leads to pages of the console that are there', () => {
    const pages = namesIn('app/console')
      .filter((file) => file.endsWith('page.tsx'))
      .map((file) => path.posix.join('/console', path.posix.dirname(file)));
    const named = found(operating, /`(\/console[\w/]*)`/g);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !pages.includes(name))).toEqual([]);
  });

  it('links to sections of its own that are there', () => {
    const anchors = found(operating, /^#{2,4} (.+)$/gm).map((title) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = found(operating, /\]\(#([\w-]+)\)/g);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  });
});

describe.each(['work-check-web@.service', 'work-check-worker@.service'])('the unit %s', (file) => {
  const { text, settings } = unit(file);
  const only = (name: string) => {
    const found = settings(name);
    expect(found, name).toHaveLength(1);
    return found[0];
  };

  it('sets ports where the file of variables cannot undo it, and that file sets none', () => {
    expect(only('ExecStart')).toMatch(/^\/usr\/bin\/env (?:PORT=%i METRICS_PORT=1%i|METRICS_PORT=%i) \//);
    expect(text).not.toMatch(/^Environment=.*PORT/m);
    expect(Object.keys(environmentFile(textOf('.env.example')))).not.toContain('PORT');
  });

  it('is ready when it says so, is watched, and is started again however often it fails', () => {
    expect([only('Type'), only('NotifyAccess'), only('Restart')]).toEqual(['notify', 'all', 'always']);
    expect(Number(only('WatchdogSec'))).toBeLessThan(35);
    expect(only('StartLimitIntervalSec')).toBe('0');
    expect(only('TimeoutStartSec')).toBe('infinity');
    // The delay of 3 seconds, 5 to answer what is under way or 7 for checks, and some to spare.
    expect(Number(only('TimeoutStopSec'))).toBeGreaterThanOrEqual(12);
  });

  it('has a folder of its own for its keys, and writes nowhere else', () => {
    expect([only('StateDirectory'), only('StateDirectoryMode')]).toEqual(['work-check', '0700']);
    expect(only('ProtectSystem')).toBe('strict');
    expect(text).not.toContain('ReadWritePaths');
  });

  it('leaves no right that it does not use', () => {
    for (const name of ['NoNewPrivileges', 'PrivateDevices', 'PrivateTmp', 'PrivateUsers', 'ProtectHome'])
      expect(only(name)).toBe('true');
    expect(only('CapabilityBoundingSet')).toBe('');
    expect(settings('SystemCallFilter')).toEqual(['@system-service', '~@privileged']);
  });
});

describe('the commands', () => {
  const place = (lines: string[], words: RegExp, from = 0) =>
    lines.findIndex((line, at) => at >= from && words.test(line));
  const instances = (line = '') => found(line, /work-check-(\w+@\d+)/g).toSorted();

  it.each([
    ['that install', installing()],
    ['that deploy', deploying()],
  ])('%s are what a shell understands', (_, lines) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: lines.join('\n'), encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('that install give the rights before the first migration and again after it, and start units that are there', () => {
    const lines = installing();
    const migrated = place(lines, /npm run migrate/);
    const [before, after] = [place(lines, /docs\/rights\.sql/), place(lines, /docs\/rights\.sql/, migrated)];
    expect(place(lines, /createdb/)).toBeLessThan(before);
    expect(before).toBeLessThan(migrated);
    expect(after).toBeGreaterThan(migrated);
    expect(place(lines, /--check-config/)).toBeLessThan(place(lines, /systemctl enable --now/));
    const files = Object.keys(unitFiles()).map((file) => path.basename(file));
    for (const instance of instances(lines.at(-1))) {
      expect(files).toContain(`work-check-${instance.replace(/@.*/, '@.service')}`);
    }
  });

  it('that deploy migrate, then start the new processes before they stop the old, on ports that nginx asks', () => {
    const lines = deploying();
    const of = (verb: string) => place(lines, new RegExp(`^systemctl ${verb} `));
    const order = [place(lines, /npm run migrate/), place(lines, /^ln -sfn/), of('start'), of('stop')];
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(instances(lines[of('enable')])).toEqual(instances(lines[of('start')]));
    expect(instances(lines[of('disable')])).toEqual(instances(lines[of('stop')]));
    expect(instances(lines[of('stop')])).toEqual(instances(installing().at(-1)));
    const ports = [...instances(lines[of('stop')]), ...instances(lines[of('start')])]
      .filter((instance) => instance.startsWith('web@'))
      .map((instance) => instance.slice('web@'.length));
    expect(found(nginxSite(), /127\.0\.0\.1:(\d+)/g).toSorted()).toEqual(ports.toSorted());
  });
});

describe('the site of nginx', () => {
  const site = nginxSite();

  it('is what Debian 12 knows, and gives up no process', () => {
    expect(site).toMatch(/listen 443 ssl http2;/);
    expect(site).not.toMatch(/http2 on/);
    const servers = found(site, /(server 127\.0\.0\.1:\d+[^;]*);/g);
    expect(servers).toHaveLength(4);
    for (const one of servers) expect(one).toContain('max_fails=0');
    expect(site).toMatch(/proxy_next_upstream error timeout;/);
    expect(site).not.toContain('non_idempotent');
  });

  it('logs no query', () => {
    const [, format = ''] = /^log_format \w+ '(.*)';$/m.exec(site) ?? [];
    expect(format).toContain('$uri');
    expect(format).not.toMatch(/\$(?:request\b|request_uri|args|query_string|http_referer)/);
    expect(site).toMatch(/error_log \S+ crit;/);
  });
});

describe('each alert', () => {
  interface Case {
    name: string;
    input_series: { series: string }[];
    alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
  }
  const rules = (
    parse(textOf('docs/alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  ).groups.flatMap((group) => group.rules);
  const cases = (parse(textOf('docs/alerts-test.yml')) as { tests: Case[] }).tests;

  it('is shown to fire and to be silent, by figures that its rule asks for', () => {
    for (const { alert, expr } of rules) {
      const own = cases.filter((one) => one.alert_rule_test.some(({ alertname }) => alertname === alert));
      const fired = own.map((one) => (one.alert_rule_test[0]?.exp_alerts ?? []).length).toSorted();
      expect(fired, alert).toEqual([0, 1]);
      const asked = own.map(({ input_series: series }) => series.map((one) => one.series.replace(/\{.*/, '')));
      for (const names of asked)
        expect(
          names.some((name) => expr.includes(name)),
          alert,
        ).toBe(true);
    }
  });

  it('is about processes whose jobs what Prometheus asks has, by ports that the units give', () => {
    const config = textOf('docs/prometheus.yml');
    const jobs = found(rules.map(({ expr }) => expr).join(' '), /job="([^"]+)"/g);
    expect(jobs).toEqual(['work-check-web', 'work-check-worker', 'work-check-public']);
    for (const job of jobs) expect(config).toContain(`job_name: ${job}\n`);
    expect(config).toContain('"127.0.0.1:13000"');
  });
});
