import { describe, expect, it } from 'vitest';
import { Customer, connectedAgent, newAgent } from '../../e2e/support/customer.ts';
import { linkIn } from '../../e2e/support/letter.ts';
import { startService } from '../../e2e/support/service.ts';
import { sql } from '../kernel/sql.ts';
import { isNewcomers, readNewcomerLink, spendNewcomerLink } from './newcomer.ts';

const service = await startService();
const { runtime } = service;
const { db, clock, configuration } = runtime;
const consent = '/oauth/consent/abc123';
const authorize = '/oauth/authorize?client_id=abc&response_type=code';
const from = { origin: '203.0.113.0/24', browser: 'Firefox', marks: null };

async function asked(customer: Customer, next: string) {
  const answer = await newAgent(service).post('/api/agent/v1/members/sign-in-link', { email: customer.email, next });
  expect([answer.status, answer.body]).toEqual([202, { state: 'sent_if_known' }]);
  return customer.letters();
}
const linkFor = async (customer: Customer, next = consent): Promise<string> =>
  linkIn((await asked(customer, next))[0]?.text ?? '');
const accountsOf = ({ email }: Customer) => db.many(sql`select account_key from members where email = ${email}`);
const spend = (link: string) => spendNewcomerLink(runtime, link, clock(), from);
const stateOf = async (link: string) => (await readNewcomerLink(db, configuration, link, clock())).state;

describe('somebody without an account', () => {
  it('opens one by the letter when a client sent them here, once however often the button is pressed', async () => {
    const customer = new Customer(service);
    const link = await linkFor(customer);
    expect([isNewcomers(link), await stateOf(link), (await accountsOf(customer)).length]).toEqual([true, 'good', 0]);
    const opened = (await Promise.all(Array.from({ length: 5 }, () => spend(link)))).filter((one) => one !== null);
    expect(opened).toMatchObject([{ email: customer.email, next: consent }]);
    expect(await accountsOf(customer)).toHaveLength(1);
    expect(
      await db.one(sql`
        select role, count(s.session_key)::int as sessions from members left join member_sessions s using (member_key)
        where email = ${customer.email} group by role`),
    ).toEqual({ role: 'owner', sessions: 1 });
    expect([await stateOf(link), await spend(link)]).toEqual(['used', null]);
  });

  it('comes back to where the client sent them', async () => {
    expect(await spend(await linkFor(new Customer(service), authorize))).toMatchObject({ next: authorize });
  });

  it('gets no letter otherwise', async () => {
    for (const next of ['/agents', '/purchases', '/connect'])
      expect(await asked(new Customer(service), next)).toEqual([]);
  });

  it('gets nothing by a link that is altered, of another kind, too old, or for an address that has an account', async () => {
    const customer = new Customer(service);
    const link = await linkFor(customer);
    const altered = link.slice(0, -2) + (link.endsWith('AA') ? 'BB' : 'AA');
    for (const wrong of [altered, 'new-', 'new-v2.k.x', link.slice(0, 40)])
      expect([await stateOf(wrong), await spend(wrong)]).toEqual(['unknown', null]);
    service.advanceClock(901);
    expect([await stateOf(link), await spend(link)]).toEqual(['expired', null]);
    service.advanceClock(-901);
    const { customer: known } = await connectedAgent(service);
    const [letter] = await asked(known, consent);
    expect(isNewcomers(linkIn(letter?.text ?? 'https://none.example'))).toBe(false);
    expect(await accountsOf(customer)).toEqual([]);
  });

  it('opens none while registration is switched off', async () => {
    const link = await linkFor(new Customer(service));
    await db.many(sql`
      insert into switches (name, state, reason, actor, changed_at)
      values ('registrations', 'off', 'a test', 'test', now())`);
    expect(await spend(link)).toBe(null);
    await db.many(sql`update switches set state = 'on' where name = 'registrations'`);
    expect(await spend(link)).not.toBe(null);
  });
});
