import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Batch } from './statement.ts';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = createRequire(import.meta.url)('pg/package.json').version;
const source = (file: string) => readFileSync(createRequire(import.meta.url).resolve(`pg/lib/${file}`), 'utf8');

/** What this folder relies on inside the driver (README.md beside this file). */
describe('the driver', () => {
  it('is the version whose inside was read', () => {
    expect([installed, dependencies.pg]).toEqual(['8.23.1', '8.23.1']);
  });

  it('has the connection that statements are written to', () => {
    const { connection } = new pg.Client() as unknown as { connection: Record<string, unknown> };
    for (const name of ['parse', 'bind', 'describe', 'sync']) expect(connection[name]).toBeTypeOf('function');
    expect(connection.parsedStatements).toEqual({});
    expect(connection.submittedNamedStatements).toEqual({});
    const { stream } = connection as { stream: Record<string, unknown> };
    for (const name of ['cork', 'uncork', 'write']) expect(stream[name]).toBeTypeOf('function');
  });

  it('calls of a query what a batch answers to, and nothing else', () => {
    const called = [
      ...source('client.js').matchAll(/\b(?:activeQuery|query)\.(handle\w+|requiresPreparation|prepare|submit)\(/g),
    ]
      .map(([, name]) => name ?? '')
      .filter((name) => !['handleCopyInResponse', 'handleCopyData'].includes(name));
    const answered = Object.getOwnPropertyNames(Batch.prototype);
    const inherited = ['submit', 'handlePortalSuspended', 'handleEmptyQuery'];
    expect(called.filter((name) => ![...answered, ...inherited].includes(name))).toEqual([]);
    for (const name of answered.filter((one) => one !== 'constructor')) {
      expect((pg.Query.prototype as unknown as Record<string, unknown>)[name]).toBeTypeOf('function');
    }
  });

  it('pipelines queries, and notes a prepared statement by the name and text of its query', () => {
    expect((new pg.Client({ pipeline: true } as pg.ClientConfig) as unknown as { pipeline: boolean }).pipeline).toBe(
      true,
    );
    expect(source('client.js')).toContain('this.connection.parsedStatements[activeQuery.name] = activeQuery.text');
  });

  it('reads its address when it connects, and notes whether an answer is awaited', () => {
    expect(source('client.js')).toContain('con.connect(this.port, this.host)');
    expect(source('client.js').match(/this\.readyForQuery = (?:true|false)/g)?.length).toBeGreaterThan(3);
  });

  it('writes values as PostgreSQL reads them', () => {
    const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;
    expect([['a"b', null], true, null, undefined, { a: 1 }].map(prepareValue)).toEqual([
      '{"a\\"b",NULL}',
      'true',
      null,
      null,
      '{"a":1}',
    ]);
    expect(pg.types.getTypeParser(16, 'text')('t')).toBe(true);
  });
});
