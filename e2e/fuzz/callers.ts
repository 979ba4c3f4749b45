import type { Operation } from '../../server/operation/operation.ts';
import { Agent, type Client } from '../support/agent.ts';
import { connectedAgent } from '../support/customer.ts';
import { Member } from '../support/member.ts';
import type { Subject } from '../support/requests.ts';
import type { Service } from '../support/service.ts';
import type { CallerKind } from './ideas.ts';

export type Callers = Record<CallerKind, (operation: Operation, about: number) => Client>;

/** Keys of existing records. */
export type Keys = Record<keyof Subject, string[]>;

export async function callersOf(service: Service, owner: Agent): Promise<Callers> {
  const without = (token: string) => {
    const agent = new Agent(service.baseUrl, `0x${'22'.repeat(32)}`);
    agent.token = token;
    return () => agent;
  };
  const member = await Member.of(service, owner);
  const stranger = await Agent.arrive(service);
  const { agent: registered } = await connectedAgent(service);
  // An operation that ends its own credential gets one that nothing else needs.
  const entitledAgent = ({ name }: Operation) =>
    name === 'rotate_credential' || name === 'wallet_sign_out' ? registered : owner;
  return {
    entitled: (operation, about) =>
      operation.audience[about % operation.audience.length] === 'member' ? member : entitledAgent(operation),
    stranger: () => stranger,
    nobody: without(''),
    garbage: without('not-a-token'),
  };
}

/** Another agent of the same account, which members may change and revoke while the owner continues. */
async function colleagueOf(service: Service, owner: Agent): Promise<string> {
  const { registration } = await connectedAgent(service);
  const { agent_key } = registration.body;
  await service.database.pool.query('update principals set account_key = $1 where principal_key = $2', [
    (await owner.get('/api/agent/v1/me')).body.account_key,
    agent_key,
  ]);
  return agent_key;
}

/** Purchases in several states, by a buyer whose limits no run reaches. */
export async function purchaseKeys(service: Service, owner: Agent): Promise<Keys> {
  const { database, execute } = service;
  await database.pool.query(
    'update grants set daily_limit_microcents = 500000000000, total_limit_microcents = null where principal_key = $1',
    [owner.wallet.address.toLowerCase()],
  );
  const keys: Keys = {
    quote_key: [],
    job_key: [],
    source_key: [],
    endpoint_key: [],
    agent_key: [await colleagueOf(service, owner)],
  };
  for (let copies = 0; copies < 3; copies += 1) {
    const jobs = [await owner.authorizedJob(), await owner.paidJob(), await owner.paidJob()];
    await execute(jobs[2] ?? '');
    keys.job_key.push(...jobs);
    keys.quote_key.push((await owner.quote()).body.quote_key, (await owner.job(jobs[0] ?? '')).body.quote_key);
  }
  return keys;
}
