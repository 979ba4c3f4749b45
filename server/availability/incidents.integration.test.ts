import { describe, expect, it } from 'vitest';
import { newAgent } from '../../e2e/support/customer.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { sql } from '../kernel/sql.ts';
import { daySeconds } from '../service/terms.ts';
import { operatorContext } from '../transports/context.ts';
import { historyDays, updatesMax } from './incident-contract.ts';

const service = await startService();
const anybody = newAgent(service);
const ctx = () => operatorContext(service.runtime);

type Changes = { title?: string; text?: string; impact?: object; started_at?: string };
const open = async (changes: Changes = {}) =>
  (
    await perform('open_incident', ctx(), {
      title: 'Checks are late',
      impact: { checks: 'degraded' },
      text: 'We are looking into it.',
      ...changes,
    })
  ).body.incident_key;
const update = (incident_key: string, text = 'Still looking.') =>
  perform('update_incident', ctx(), { incident_key, text });
const resolve = (incident_key: string, text = 'Mended.') => perform('resolve_incident', ctx(), { incident_key, text });

const told = async () => (await anybody.get('/status.json')).body.incidents;
const find = async (key: string) =>
  (await told()).find(({ incident_key }: { incident_key: string }) => incident_key === key);
const feed = async (headers: Record<string, string> = {}) => fetch(`${service.baseUrl}/status.atom`, { headers });

describe('the record of incidents', () => {
  it('is empty, and a valid feed, before anything went wrong', async () => {
    expect(await told()).toEqual([]);
    const answer = await feed();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    const text = await answer.text();
    expect(text).not.toContain('<entry>');
    for (const part of ['id', 'title', 'updated']) expect(text).toMatch(new RegExp(`<${part}>[^<]+</${part}>`));
    const again = await feed({ 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('tells what is open first, with each text and its time, then what was resolved', async () => {
    const first = await open({ impact: { card: 'down', rest: 'degraded' } });
    service.advanceClock(60);
    const second = await open();
    service.advanceClock(60);
    await update(first);
    await resolve(second);
    expect((await told()).map(({ incident_key }: { incident_key: string }) => incident_key)).toEqual([first, second]);
    const { updates, ...rest } = await find(first);
    expect(rest).toMatchObject({ impact: { card: 'down', rest: 'degraded' }, resolved_at: null });
    expect(updates.map(({ text }: { text: string }) => text)).toEqual(['We are looking into it.', 'Still looking.']);
    expect(Date.parse(updates[1].at) - Date.parse(updates[0].at)).toBeGreaterThanOrEqual(120_000);
    const ended = await find(second);
    expect(ended.resolved_at).toBe(ended.updates.at(-1).at);
    const text = await (await feed()).text();
    expect(text.indexOf(first)).toBeLessThan(text.indexOf(second));
    expect(text).toContain('REST: slow or failing at times, Payment by card: down.');
    await resolve(first);
  });

  it('forgets what was resolved long ago, and nothing that is open', async () => {
    const [old, lasting] = [await open(), await open()];
    await resolve(old);
    service.advanceClock((historyDays + 1) * daySeconds);
    expect(await find(old)).toBeUndefined();
    expect(await find(lasting)).toBeDefined();
    service.advanceClock(-(historyDays + 1) * daySeconds);
    await resolve(lasting);
  });

  it('gives hostile text back as text, in JSON and in the feed', async () => {
    const hostile = `</title><script>alert("1")</script>&lt;b ]]> \u0001 'x'`;
    const key = await open({ title: hostile, text: hostile });
    expect(await find(key)).toMatchObject({ title: hostile, updates: [{ text: hostile }] });
    const answer = await feed();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await answer.text();
    expect(text).not.toMatch(/<script|<b |\]\]>/);
    expect(text).not.toContain('\u0001');
    expect(text).toContain('&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;lt;b');
    await resolve(key);
  });
});

describe('an operator', () => {
  it.each([
    ['an empty title', { title: ' ' }],
    ['a title of two lines', { title: 'One\nTwo' }],
    ['a title that is too long', { title: 'x'.repeat(121) }],
    ['a text that is too long', { text: 'x'.repeat(1_001) }],
    ['no part', { impact: {} }],
    ['an unknown part', { impact: { moon: 'down' } }],
    ['an unknown impact', { impact: { card: 'sad' } }],
  ])('cannot tell of an incident with %s', async (_, changes) => {
    await expect(open(changes)).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('tells of one that began earlier, and of none to come', async () => {
    const now = service.runtime.clock().getTime();
    const at = (seconds: number) => new Date(now + 1_000 * seconds).toISOString();
    const key = await open({ started_at: at(-3_600) });
    expect((await find(key)).started_at).toBe(at(-3_600));
    await resolve(key);
    for (const started_at of [at(3_600), at(-(historyDays + 1) * daySeconds)]) {
      await expect(open({ started_at })).rejects.toMatchObject({ code: 'action_not_allowed' });
    }
  });

  it('adds nothing to what is resolved, unknown or full', async () => {
    const key = await open();
    await resolve(key);
    for (const act of [update, resolve]) {
      await expect(act(key)).rejects.toMatchObject({ code: 'action_not_allowed' });
      await expect(act('incident_unknown')).rejects.toMatchObject({ code: 'not_found' });
    }
    const full = await open();
    for (let number = 2; number < updatesMax; number += 1) await update(full);
    await expect(update(full)).rejects.toMatchObject({ code: 'action_not_allowed' });
    await resolve(full);
    expect((await find(full)).updates).toHaveLength(updatesMax);
  });

  it('leaves each act in the audit, and takes nothing back', async () => {
    const key = await open();
    await update(key);
    await resolve(key);
    const { db } = service.runtime;
    const acts = await db.many<{ action: string; reason: string }>(sql`
      select action, reason from operator_acts where subject = ${`incident:${key}`} order by sequence`);
    expect(acts).toEqual([
      { action: 'open_incident', reason: 'Checks are late: We are looking into it.' },
      { action: 'update_incident', reason: 'Still looking.' },
      { action: 'resolve_incident', reason: 'Mended.' },
    ]);
    for (const change of [
      sql`update incidents set title = 'Nothing' where incident_key = ${key}`,
      sql`update incidents set resolved_at = null where incident_key = ${key}`,
      sql`delete from incidents where incident_key = ${key}`,
      sql`update incident_updates set text = 'Nothing' where incident_key = ${key}`,
      sql`delete from incident_updates where incident_key = ${key}`,
    ]) {
      await expect(db.many(change)).rejects.toThrow();
    }
  });
});
