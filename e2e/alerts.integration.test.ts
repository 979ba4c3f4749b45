import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../sandbox/ports.ts';
import { scrape } from './support/scrape.ts';
import { startService } from './support/service.ts';
import { startDoor } from './support/start-door.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const docs = path.resolve(import.meta.dirname, '../docs');
const { groups } = parse(readFileSync(path.join(docs, 'alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

const [doorPort, workerPort] = [await freePort(), await freePort()];
const service = await startService({ METRICS_PORT: String(workerPort) });
const told = new Set<string>();

beforeAll(async () => {
  const { environment } = service;
  const { DATABASE_URL } = environment;
  const door = await startDoor({
    ...environment,
    METRICS_PORT: String(doorPort),
    DATABASE_READ_URL: DATABASE_URL ?? '',
  });
  const worker = service.startWorker();
  await worker.ready;
  for (const port of [doorPort, workerPort]) {
    // A counter that has counted nothing yet has only its type line.
    for (const [, name = ''] of (await scrape(port)).text.matchAll(/^# TYPE (\w+) \w+$/gm)) told.add(name);
    for (const name of (await scrape(port)).names) told.add(name);
  }
  await worker.stop();
  await door.stop();
});

describe('an alert', () => {
  it('looks at figures that are told', () => {
    expect(rules.length).toBeGreaterThan(15);
    const missing = rules.flatMap(({ alert, expr }) =>
      [...expr.matchAll(/\b(?:work_check|nodejs|process)_\w+/g)].flatMap(([name]) =>
        told.has(name.replace(/_bucket$/, '')) ? [] : [`${alert}: ${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('says how grave it is, what it means and what to do, in a section that is there', () => {
    const text = readFileSync(path.join(docs, 'operating.md'), 'utf8');
    const anchors = new Set(
      [...text.matchAll(/^#{2,4} (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket'], alert).toContain(labels.severity);
      expect(annotations.summary.length, alert).toBeGreaterThan(20);
      const [file, anchor = ''] = annotations.runbook.split('#');
      expect(file, alert).toBe('operating.md');
      expect([...anchors], alert).toContain(anchor);
    }
  });

  it('and the handbook beside it name figures that are told', () => {
    const text = readFileSync(path.join(docs, 'operating.md'), 'utf8');
    const rights = readFileSync(path.join(docs, 'rights.sql'), 'utf8');
    const roles = [...rights.matchAll(/create role (\w+)/g)].map(([, role]) => role);
    const names = [...text.matchAll(/`(?:work_check)?(_[a-z]\w+)[{`]/g)]
      .map(([, name = '']) => `work_check${name}`)
      .filter((name) => !roles.includes(name));
    expect(names.length).toBeGreaterThan(20);
    // A role of the database, not a figure.
    const others = ['work_check_owner'];
    expect(names.filter((name) => !told.has(name) && !others.includes(name))).toEqual([]);
  });
});
