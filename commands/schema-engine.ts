#!/usr/bin/env node
/**
 * Prisma's schema engine from npm. The CLI normally downloads a native executable; it runs this file instead
 * (`PRISMA_SCHEMA_ENGINE_BINARY`) and talks to it the same way: JSON-RPC 2.0, one message per line, on stdin and
 * stdout, and JSON log lines on stderr.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as wasm from '@prisma/schema-engine-wasm/schema_engine_bg';
import { canConnect, createDatabase, SchemaDatabase } from './schema-database.ts';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: Parameters<wasm.SchemaEngine['createMigration']>[0];
}

/** Where the engine leaves the message of a panic, which JavaScript sees only as a trap. */
const panic = {
  message: undefined as string | undefined,
  set_message(message: string) {
    this.message = message;
  },
};
const PANIC_EXIT_CODE = 101;
const KNOWN_ERROR_CODE = 4466;

const { values: options, positionals } = parseArgs({
  strict: false,
  options: {
    version: { type: 'boolean' },
    datasource: { type: 'string' },
    datamodels: { type: 'string', multiple: true },
  },
});
const datasource: { url?: string; shadowDatabaseUrl?: string } = JSON.parse(String(options.datasource ?? '{}'));

await loadEngine();
if (options.version) console.log(`schema-engine-cli ${wasm.version()}`);
else if (positionals.includes('cli')) await answerOnce();
else serve();

async function loadEngine(): Promise<void> {
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: panic });
  const entry = import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = readFileSync(fileURLToPath(entry).replace(/\.js$/, '.wasm'));
  // The package's types omit the functions that its WebAssembly imports.
  const imports = { './schema_engine_bg.js': wasm as unknown as WebAssembly.ModuleImports };
  const { instance } = await WebAssembly.instantiate(code, imports);
  wasm.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
}

/** `schema-engine cli can-connect-to-database` and `create-database`. */
async function answerOnce(): Promise<void> {
  try {
    if (positionals.includes('can-connect-to-database')) await canConnect(requireUrl());
    else if (positionals.includes('create-database')) await createDatabase(requireUrl());
    else throw new Error(`Not supported by this schema engine: ${positionals.join(' ')}`);
  } catch (error) {
    const { code, message } = describe(error);
    const errorCode = code === '3D000' ? 'P1003' : code === '28P01' ? 'P1000' : 'P1001';
    log({ is_panic: false, error_code: errorCode, message });
    process.exitCode = 1;
  }
}

/** Answers requests in sequence until the CLI closes stdin. */
async function serve(): Promise<void> {
  process.on('uncaughtException', (error) => {
    log({ is_panic: true, message: panic.message ?? error.message, backtrace: error.stack });
    process.exit(PANIC_EXIT_CODE);
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const request: Request = JSON.parse(line);
    if (request.method === undefined) continue; // The CLI's answer to a `print`.
    try {
      send({ id: request.id, result: (await answer(request)) ?? {} });
    } catch (error) {
      send({ id: request.id, error: toRpcError(error) });
    }
  }
  process.exit(0);
}

async function answer({ method, params }: Request): Promise<unknown> {
  if (method === 'createDatabase') return { databaseName: await createDatabase(requireUrl()) };
  const engine = await startEngine();
  if (method === 'getDatabaseVersion') return engine.version();
  if (method === 'evaluateDataLoss' || method === 'createMigration') {
    // Both need the schema of the migration history, which only this call caches.
    const { migrationsList, filters } = params;
    await engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: true });
  }
  if (!(method in engine)) throw new Error(`Not supported by this schema engine: ${method}`);
  // The CLI and the engine share one message format.
  const call = engine[method as 'diff'] as (params: unknown) => Promise<{ stdout?: string } | undefined>;
  const result = await call.call(engine, params);
  if (method === 'diff' && result?.stdout) send({ id: 0, method: 'print', params: { content: result.stdout } });
  return result;
}

let started: Promise<wasm.SchemaEngine> | undefined;

function startEngine(): Promise<wasm.SchemaEngine> {
  const files = [options.datamodels ?? []].flat().map(String);
  const datamodels = files.map((file): [string, string] => [file, readFileSync(file, 'utf8')]);
  started ??= wasm.SchemaEngine.new(
    { datamodels: datamodels.length > 0 ? datamodels : undefined },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new SchemaDatabase(datasource.url, datasource.shadowDatabaseUrl)),
  );
  return started;
}

function requireUrl(): string {
  if (datasource.url === undefined) throw new Error('The datasource has no URL.');
  return datasource.url;
}

function toRpcError(error: unknown): object {
  const isPanic = error instanceof WebAssembly.RuntimeError;
  const { code, message } = describe(error);
  const data = {
    is_panic: isPanic,
    message: (isPanic && panic.message) || message,
    error_code: code ?? null,
    meta: null,
  };
  return { code: KNOWN_ERROR_CODE, message: 'The schema engine failed; `data` says why.', data };
}

function describe(error: unknown): { code: string | undefined; message: string } {
  if (typeof error !== 'object' || error === null) return { code: undefined, message: String(error) };
  const code = 'code' in error ? String(error.code) : undefined;
  const message = 'message' in error ? String(error.message) : '';
  return { code, message: message || code || 'no reason given' };
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function log(fields: object): void {
  const entry = { timestamp: new Date().toISOString(), level: 'ERROR', fields, target: 'schema_engine::logger' };
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}
