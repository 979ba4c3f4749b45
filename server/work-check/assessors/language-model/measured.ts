import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { AssessorModel } from '../../../configuration/assessor.ts';
import { digestOf } from '../../../kernel/digest.ts';
import { canonicalJson } from '../../../kernel/json-value.ts';
import { Measured } from '../../contract.ts';

/** Next bundles pages without `import.meta.dirname`; they run from the root of the project. */
const HERE = import.meta.dirname ?? resolve('server/work-check/assessors/language-model');
/** Where `npm run check:measure -- --assessor configured` writes what it measured, a file for each configuration. */
const FOLDER = join(HERE, '../../../../measured');
const SOURCES = join(HERE, '../..');

/** What tells one configuration of models from another: who is asked, where and in which order. Keys and limits do not. */
function configurationDigest(panel: readonly AssessorModel[]): string {
  const named = panel.map(({ provider, model, baseUrl = '' }) => ({ provider, model, base_url: baseUrl }));
  return digestOf(canonicalJson(named));
}

/** The file that holds what was measured of a configuration. */
export function measuredFile(panel: readonly AssessorModel[], folder = FOLDER): string {
  return join(folder, `${configurationDigest(panel).replace('sha256:', '')}.json`);
}

let version: string | undefined;

/** A digest of the sources and assets of the work check, without its cases: the same code gives the same version. */
export function workCheckVersion(): string {
  if (version !== undefined) return version;
  const hash = createHash('sha256');
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.(?:ts|json)$/.test(entry.name) &&
        !/(?:\.(?:test|deep)|-trial)\.ts$/.test(entry.name) &&
        !/cases(?:-\d)?$/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(`${relative(SOURCES, file)}\n`).update(readFileSync(file));
  version = hash.digest('hex').slice(0, 12);
  return version;
}

/** What was measured of a configuration, for its reports; null when nothing was. */
export function measuredOf(panel: readonly AssessorModel[], folder = FOLDER): Measured | null {
  const file = measuredFile(panel, folder);
  if (!existsSync(file)) return null;
  const read = Measured.omit({ this_version: true }).safeParse(JSON.parse(readFileSync(file, 'utf8')));
  return read.success ? { ...read.data, this_version: read.data.version === workCheckVersion() } : null;
}
