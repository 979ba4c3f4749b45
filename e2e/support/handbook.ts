import { readFileSync } from 'node:fs';
import path from 'node:path';

const docs = path.resolve(import.meta.dirname, '../../docs');

/** The handbook's code blocks, as they are printed. */
const blocks = [...readFileSync(path.join(docs, 'operating.md'), 'utf8').matchAll(/^```\n(.*?)^```$/gms)].map(
  ([, text = '']) => text,
);

function block(words: string): string {
  return blocks.find((text) => text.includes(words)) ?? raise(`the handbook prints no ${words}`);
}

function raise(message: string): never {
  throw new Error(message);
}

/** A unit of systemd from the handbook. */
export interface Unit {
  text: string;
  /** The settings of a name, in order. */
  settings(name: string): string[];
  /** A command for an instance, as words; Node is the one that runs this. */
  command(name: 'ExecStartPre' | 'ExecStart', instance: string): string[];
}

/** The unit of this file, such as `work-check-web@.service`. */
export function unit(file: string): Unit {
  const units = block('/etc/systemd/system/').split(/^(?=# \/etc\/systemd\/system\/)/m);
  const text = units.find((one) => one.startsWith(`# /etc/systemd/system/${file} `)) ?? raise(`no unit ${file}`);
  const settings = (name: string) =>
    [...text.matchAll(/^(\w+)=(.*)$/gm)].flatMap(([, key, value = '']) => (key === name ? [value] : []));
  return {
    text,
    settings,
    command: (name, instance) =>
      (settings(name)[0] ?? raise(`${file} has no ${name}`))
        .replaceAll('%i', instance)
        .replace('/opt/work-check/node_modules/.bin/node', process.execPath)
        .split(' '),
  };
}

/** What each unit's file holds, by its path. */
export function unitFiles(): Record<string, string> {
  const texts = block('/etc/systemd/system/').split(/^(?=# \/etc\/systemd\/system\/)/m);
  return Object.fromEntries(texts.map((text) => [/^# (\S+)/.exec(text)?.[1] ?? raise('a unit has no path'), text]));
}

/** The commands that install the service, in order. */
export const installing = (): string[] => linesOf('useradd --system');

/** The commands that put a new version in the place of the one that serves, in order. */
export const deploying = (): string[] => linesOf('systemctl start work-check-web@3002');

const linesOf = (words: string): string[] => block(words).split('\n').filter(Boolean);

/** The settings that the role of the service needs behind a pooler, by name. */
export function roleSettings(): Record<string, string> {
  const text = readFileSync(path.join(docs, 'operating.md'), 'utf8');
  const found = text.matchAll(/(\w+_timeout|synchronous_commit)\s*=\s*'(\d+s|remote_apply)'/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

/** A file of variables as systemd reads it (systemd.exec(5), EnvironmentFile). */
export function environmentFile(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim().replace(/^"(.*)"$/, '$1'),
    ]),
  );
}

/** The site of nginx. */
export const nginxSite = (): string => block('upstream work_check');

/** The settings of a server that archives its log into `archive`. */
export const archiving = (archive: string): Record<string, string> => serverSettings('archive_command', archive);

/** The settings of a server that starts from a base and goes on to the moment `until`, by the log in `archive`. */
export const restoring = (archive: string, until: string): Record<string, string> => ({
  ...serverSettings('recovery_target_time', archive),
  recovery_target_time: until,
});

function serverSettings(name: string, archive: string): Record<string, string> {
  const lines = block(`${name} = `).matchAll(/^(\w+) = (?:'(.*?)'|(\S+))/gm);
  return Object.fromEntries(
    [...lines].map(([, key, quoted, bare]) => [key ?? '', (quoted ?? bare ?? '').replaceAll('/backup/log', archive)]),
  );
}

/** The SQL that gives the roles their rights, for roles of other names: roles belong to a whole cluster. */
export function rights(role: string): string {
  return readFileSync(path.join(docs, 'rights.sql'), 'utf8').replace(/\bwork_check(_owner)?\b/g, `${role}$1`);
}
