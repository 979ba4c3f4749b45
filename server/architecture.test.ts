import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from './operations.ts';

/** The README's map as rules: who may import whom, where the doors are, which names are too vague. */
const root = path.resolve(import.meta.dirname, '..');

/** Data about the service, which the browser and the buyer's client may import too. */
const pure = [
  /^server\/operations\.ts$/,
  /^server\/\w[\w-]*\/(\w+-)?contract\.ts$/,
  /^server\/configuration\/rate-limits\.ts$/,
  /^server\/held\.ts$/,
  /^server\/purchases\/(states|title)\.ts$/,
  /^server\/identity\/(browser-name|destination)\.ts$/,
  /^server\/service\/terms\.ts$/,
  /^server\/availability\/(meanings|incident-words)\.ts$/,
  /^server\/console\/contract\/\w+\.ts$/,
  /^server\/problems\//,
  /^server\/operation\/(operation|(member|operator)-roles)\.ts$/,
  /^server\/kernel\/(instant-text|json-value|money)\.ts$/,
  /^server\/work-check\/(contract|input-fields)\.ts$/,
];

/** The check itself, which a buyer runs again: all but its pool of threads and the models that it asks. */
const replayed = /^server\/work-check\/(?!checker\.|check-thread\.|assessors\/language-model\/)/;

/**
 * The rooms, bottom up: a file imports from its own room and those before it, types included, so no rooms stand in a
 * circle. A file of `server/` in no folder is a room, or belongs to the folder of its name. `generated` is below all.
 */
const rooms = [
  'kernel held service configuration ledger problems work-check queue payments runtime mail operation availability',
  'identity sources purchases console operations discovery verbs door environment-faults open-runtime transports',
  // How processes run.
  'supervisor children stopping tracing start worker',
].flatMap((line) => line.split(' ').map((name) => `server/${name}`));
const order = [...rooms, 'client', 'components', 'app'];

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function tracked(...folders: string[]): string[] {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  return list.split('\n').filter((file) => /\.tsx?$/.test(file) && existsSync(path.join(root, file)));
}

const isTest = (file: string) => /(\.(test|e2e|deep)|-trial)\.tsx?$/.test(file) || file.startsWith('e2e/');
const isPure = (file: string) => pure.some((pattern) => pattern.test(file));

/** The room of a file. */
function roomOf(file: string): string {
  const [top = '', room = ''] = file.split('/');
  return top === 'server' ? `server/${room.replace(/\.ts$/, '')}` : top;
}

function importsOf(file: string, text: string): Import[] {
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm);
  return [...found].flatMap(([, type, named, bare]) => {
    const target = named ?? bare ?? '';
    if (target.startsWith('@/')) return [{ from: file, to: target.slice(2), typeOnly: Boolean(type) }];
    if (!target.startsWith('.')) return [];
    return [{ from: file, to: path.join(path.dirname(file), target), typeOnly: Boolean(type) }];
  });
}

/** Why an import is forbidden; null when it is allowed. */
function objection({ from, to, typeOnly }: Import): string | null {
  if (isTest(from) || from.startsWith('commands/') || from.startsWith('bench/')) return null;
  if (/^(server|app|components|client)\//.test(from) && to.startsWith('sandbox/'))
    return 'nothing of the product knows the sandbox';
  if (from.startsWith('sandbox/') && /^(server|app|components)\//.test(to))
    return 'the sandbox stands outside the product';
  if (from.startsWith('client/') && !to.startsWith('client/') && !isPure(to) && !replayed.test(to))
    return 'a buyer has only contracts and pure code';
  if (isPure(from) && !isPure(to)) return 'a pure file imports pure files only';
  const [here, there] = [order.indexOf(roomOf(from)), order.indexOf(roomOf(to))];
  if (here !== -1 && there > here) return `${roomOf(to)} stands above ${roomOf(from)}`;
  if (isPure(to) || typeOnly) return null;
  if (from.startsWith('components/') && to.startsWith('server/')) return 'components hold no data';
  if (from.startsWith('app/') && to.startsWith('server/')) {
    const doors = [
      'server/transports/',
      'server/door/perform.ts',
      'server/identity/sign-in.ts',
      'server/identity/newcomer.ts',
      'server/identity/session-link.ts',
      'server/open-runtime.ts',
    ];
    return doors.some((door) => to.startsWith(door)) ? null : 'pages come in through the doors';
  }
  return null;
}

/** Groups of files that import each other in a circle, types included. */
function circles(imports: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reachable = (start: string): Set<string> => {
    const found = new Set<string>();
    const open = [start];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      for (const to of targets.get(file) ?? []) {
        if (!found.has(to)) open.push(to);
        found.add(to);
      }
    }
    return found;
  };
  const reach = new Map([...targets.keys()].map((file) => [file, reachable(file)]));
  const groups = new Map<string, string[]>();
  for (const [file, found] of reach) {
    if (!found.has(file)) continue;
    const group = [...found].filter((other) => reach.get(other)?.has(file)).toSorted();
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}

const sources = tracked('server', 'app', 'components', 'client', 'sandbox').filter((file) => !isTest(file));
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('the house', () => {
  it('has imports that point one way only', () => {
    const objections = sources.flatMap((file) =>
      importsOf(file, textOf(file)).flatMap((found) => {
        const reason = objection(found);
        return reason ? [`${found.from} imports ${found.to}: ${reason}`] : [];
      }),
    );
    expect(objections).toEqual([]);
  });

  it('has a place for every room', () => {
    const found = new Set(
      tracked('server')
        .filter((file) => !isTest(file))
        .map(roomOf),
    );
    expect([...found].toSorted()).toEqual(rooms.toSorted());
  });

  it('has no circle, types included', () => {
    expect(circles(sources.flatMap((file) => importsOf(file, textOf(file))))).toEqual([]);
  });

  it('notices a circle of types', () => {
    const planted = [
      ...importsOf('server/ledger/a.ts', "import type { B } from './b.ts';"),
      ...importsOf('server/ledger/b.ts', "import { type C, c } from './c.ts';"),
      ...importsOf('server/ledger/c.ts', "import type { A } from './a.ts';"),
      ...importsOf('server/ledger/d.ts', "import type { A } from './a.ts';"),
    ];
    expect(circles(planted)).toEqual([['server/ledger/a.ts', 'server/ledger/b.ts', 'server/ledger/c.ts']]);
  });

  it.each([
    ['server/kernel/clock.ts', "import { pay } from '../purchases/pay.ts';"],
    ['server/kernel/sql.ts', "import { Problem } from '../problems/problem.ts';"],
    ['server/kernel/log.ts', "import type { Configuration } from '../configuration.ts';"],
    ['server/identity/contract.ts', "import { Quote } from '../purchases/contract.ts';"],
    ['server/mail/letter.ts', "import type { Member } from '../identity/contract.ts';"],
    ['server/queue/queue.ts', "import { takeTurns } from '../worker/worker.ts';"],
    ['server/operation/verb.ts', "import { advance } from '../purchases/job/advance.ts';"],
    ['server/work-check/check.ts', "import { transact } from '../purchases/job/advance.ts';"],
    ['server/purchases/pay/pay.ts', "import { startSandbox } from '../../../sandbox/start.ts';"],
    ['server/purchases/contract.ts', "import { sql } from '../kernel/sql.ts';"],
    ['client/verify-receipt.ts', "import { openDatabase } from '../server/kernel/database.ts';"],
    ['client/verify/proofs.ts', "import { openChecker } from '../../server/work-check/checker.ts';"],
    ['components/ui/Key.tsx', "import { perform } from '../../server/door/perform.ts';"],
    ['app/page.tsx', "import { advance } from '@/server/purchases/job/advance.ts';"],
  ])('notices when %s leans the wrong way', (file, line) => {
    expect(importsOf(file, line).map(objection)).not.toContain(null);
  });

  it('has one door for each operation, at the address that the operation names', () => {
    const doors = tracked('app').flatMap((file) => {
      const found = textOf(file).matchAll(/export const (GET|POST|DELETE) = rest\('(\w+)'\)/g);
      return [...found].map(([, method, name]) => `${method} /${path.dirname(file).slice('app/'.length)} ${name}`);
    });
    const wanted = Object.entries(operations).map(
      ([key, { name, method, path: at }]) =>
        `${method} ${at.replace(/\{(\w+)\}/g, '[$1]')} ${name === key ? name : `${key}?`}`,
    );
    expect(doors.toSorted()).toEqual(wanted.toSorted());
  });

  it('keeps the time of day in one place', () => {
    const clocks = sources.filter(
      (file) =>
        file.startsWith('server/') &&
        file !== 'server/kernel/clock.ts' &&
        /Date\.now\(|new Date\(\)/.test(textOf(file)),
    );
    expect(clocks).toEqual([]);
  });

  it('names the columns that it reads, so that a new one changes no answer', () => {
    // `row` is a subquery of the same statement, which names its columns.
    const starred = tracked('server', 'commands').filter(
      (file) => !isTest(file) && /\b(?:select|returning)\s+(?:(?!row\.)[\w.]+\.)?\*/i.test(textOf(file)),
    );
    expect(starred).toEqual([]);
  });

  it('has no room whose name says nothing, but for the addresses of the interface', () => {
    const nameless = tracked().filter(
      (file) =>
        !file.startsWith('app/api/') && /(^|\/)(lib|utils?|helpers?|common|misc|types|services)(\/|\.tsx?$)/.test(file),
    );
    expect(nameless).toEqual([]);
  });
});
