import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Answer, type Client } from '../e2e/support/agent.ts';
import { Customer, claim, connectedAgent, newAgent, register } from '../e2e/support/customer.ts';
import { Member } from '../e2e/support/member.ts';
import { ask, operationNames, type Subject, wellFormed } from '../e2e/support/requests.ts';
import { startService } from '../e2e/support/service.ts';
import { Statements } from '../e2e/support/statements.ts';
import { type Operation, pathKeys } from './operation/operation.ts';
import { type OperationName, operations } from './operations.ts';

/**
 * A stranger learns nothing about other people's records, neither from answers nor from timing. Measured times would
 * show the machine's load, so these tests demand the causes: the same statements run whether the record exists or not,
 * and nothing waits for somebody else's locks.
 */
const service = await startService({}, { alone: true });
const statements = new Statements(service.runtime.db.pool);
const { pool } = service.database;

/** One customer's purchase, agent and document, and keys of nothing. */
let theirs: Subject;
const nobodys: Subject = {
  quote_key: 'quote_0000000000000000000000',
  job_key: 'job_0000000000000000000000',
  agent_key: 'agent_0000000000000000000000',
  source_key: 'src_0000000000000000000000',
  endpoint_key: 'endpoint_0000000000000000000000',
};
const unknownRegistration = 'reg_0000000000000000000000';
let known: Customer;
const unknown = new Customer(service);
/** An agent's request to connect to the known customer, whose code only that customer may use. */
let linking: Answer;
let usedChallenge: string;

let stranger: Agent;
let elsewhere: Member;
const anybody = newAgent(service);

beforeAll(async () => {
  const connected = await connectedAgent(service);
  known = connected.customer;
  const owner = await Member.of(service, connected.agent, known.email);
  const document = await owner.post('/api/agent/v1/sources', { name: 'Terms', text: 'The seller pays.' });
  const told = await owner.post('/api/agent/v1/webhook-endpoints', { url: 'https://buyer.example/hooks' });
  const { endpoint_key } = told.body;
  stranger = await Agent.arrive(service);
  const job_key = await connected.agent.authorizedJob();
  const unpaid = await connected.agent.pay(job_key);
  const asked = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '');
  const signature = encodePaymentSignatureHeader(await stranger.createPayment(asked));
  await connected.agent.pay(job_key, { signature });
  await service.execute(job_key);
  const { quote_key } = (await connected.agent.job(job_key)).body;
  const { agent_key } = connected.registration.body;
  theirs = { quote_key, job_key, agent_key, source_key: document.body.source_key, endpoint_key };
  linking = await register(anybody, known.email, { mode: 'link_existing' });

  await pool.query('update grants set governed_refs = true where principal_key = $1', [
    stranger.wallet.address.toLowerCase(),
  ]);
  elsewhere = await Member.of(service, stranger, 'elsewhere@example.com');
  const { body: challenge } = await stranger.post('/api/x402/v1/wallets/challenge', {
    address: stranger.wallet.address,
  });
  usedChallenge = challenge.challenge_key;
  await stranger.post('/api/x402/v1/wallets/verify', {
    challenge_key: usedChallenge,
    signature: await stranger.wallet.signMessage({ message: challenge.message }),
  });
});

/** Runs `work` while another transaction locks the rows of these statements. */
async function whileHeld<T>(locks: readonly string[], work: () => Promise<T>): Promise<T> {
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    for (const lock of locks) await holder.query(lock);
    return await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** An answer without its random parts: a refusal verbatim, anything else by its shape. */
function told({ status, headers, body }: Answer) {
  const random = ['request_id', 'instance'];
  const shape = ([name, value]: [string, unknown]) =>
    status >= 400 ? [name, random.includes(name) || value] : [name, typeof value, JSON.stringify(value).length];
  const fixed = [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name));
  return { status, headers: fixed, body: Object.entries(body ?? {}).map(shape) };
}

/** Asks about both, and demands equal answers from equal statements. */
async function expectAlike<Thing>(there: Thing, notThere: Thing, look: (thing: Thing) => Promise<Answer>) {
  // Once before: the first time prepares statements and notes the credential's use.
  await look(notThere);
  const one = await statements.during(() => look(there));
  const other = await statements.during(() => look(notThere));
  expectSame(one, other);
  return one.result;
}

interface Exchange {
  result: Answer;
  statements: string[];
}

function expectSame(one: Exchange, other: Exchange): void {
  expect(told(one.result)).toEqual(told(other.result));
  expect(one.statements).toEqual(other.statements);
}

const keysOf = (name: OperationName) => pathKeys(operations[name]).filter((key) => key in nobodys);
const aboutOneThing = operationNames.filter((name) => keysOf(name).length > 0);
const askers = aboutOneThing.flatMap((name) => {
  const { audience }: Operation = operations[name];
  return (['agent', 'member'] as const).filter((who) => audience.includes(who)).map((who) => [name, who] as const);
});

describe('what belongs to somebody else, held by its owner', () => {
  const agents = () => `in ('${theirs.agent_key}', '${linking.body.agent_key}')`;
  const held = () => [
    ...['quotes', 'jobs', 'principals', 'grants'].map((table) => `${table} where principal_key ${agents()}`),
    `registrations where agent_key ${agents()}`,
    'sources',
  ];
  /** While its owner's transaction holds it. */
  const expectNothing = <Thing>(there: Thing, notThere: Thing, look: (thing: Thing) => Promise<Answer>) =>
    whileHeld(
      held().map((rows) => `select from ${rows} for update`),
      () => expectAlike(there, notThere, look),
    );

  it.each(askers)('%s tells a foreign %s nothing', async (name, who) => {
    const client: Client = who === 'agent' ? stranger : elsewhere;
    const answer = await expectNothing(theirs, nobodys, (about) => ask(client, name, wellFormed[name](about)));
    expect(answer.body.code).toBe('not_found');
  });

  it.each(['jobs', 'purchases', 'receipts', 'events'] as const)('%s go on from no row of theirs', async (name) => {
    const placeIn = ({ quote_key, job_key }: Subject) =>
      name === 'events' ? `${quote_key}.1` : name === 'purchases' ? quote_key : job_key;
    const answer = await expectNothing(theirs, nobodys, (about) => ask(stranger, name, { after: placeIn(about) }));
    expect(answer.body.code).toBe('not_found');
  });

  it('a document of theirs is none that a request can name', async () => {
    const answer = await expectNothing(theirs, nobodys, ({ source_key }) =>
      stranger.quote({ context: { refs: [source_key] }, idempotency_key: `source-${source_key}` }),
    );
    expect(answer.body.code).toBe('source_unavailable');
  });

  it('an agent that asks for them is not found by who guesses its code or its key', async () => {
    const look = (user_code: string) => elsewhere.post('/api/agent/v1/connections', { user_code });
    expect((await expectNothing(linking.body.user_code, 'BCDF-GHJK', look)).status).toBe(404);
    const decide = (registration_key: string) =>
      ask(elsewhere, 'decide_connection', {
        registration_key,
        user_code: linking.body.user_code,
        decision: 'approve',
      });
    expect((await expectNothing(linking.body.registration_key, unknownRegistration, decide)).status).toBe(404);
  });

  it('a registration is not found without its claim token, and a link without its proof', async () => {
    const tryClaim = (registration_key: string) =>
      ask(anybody, 'claim', { registration_key, claim_token: 'svc_claim_guessed', code: '123456' });
    const { registration_key: there } = linking.body;
    expect((await expectNothing(there, unknownRegistration, tryClaim)).status).toBe(404);
    for (const name of ['confirmation', 'confirm'] as const) {
      const open = (key: string) => ask(anybody, name, { ...wellFormed[name](theirs), link: `${key}.guessed` });
      expect((await expectNothing(there, unknownRegistration, open)).status).toBe(404);
    }
  });

  it('a wallet that is known is handed a challenge like any other, and a used one is like none', async () => {
    const challenge = (address: string) => ask(anybody, 'wallet_challenge', { address });
    await expectNothing(stranger.wallet.address, `0x${'5'.repeat(40)}`, challenge);
    const verify = (challenge_key: string) => ask(anybody, 'wallet_verify', { challenge_key, signature: '0x11' });
    expect((await expectNothing(usedChallenge, 'challenge_unknown', verify)).body.code).toBe('challenge_expired');
  });
});

describe('a mailbox that is known, with the tables locked that tell', () => {
  /** What this locks is read only later, by the worker that writes the letter. */
  const locked = <T>(work: () => Promise<T>) =>
    whileHeld(['lock table members, letters in access exclusive mode'], work);

  it.each(['new_customer', 'link_existing'])('is registered for (%s) like any other', async (mode) => {
    const answer = await locked(() =>
      expectAlike(known.email, unknown.email, (email) => register(anybody, email, { mode })),
    );
    expect(answer.status).toBe(202);
  });

  it('is sent a sign-in link like any other', async () => {
    const look = (email: string) => ask(anybody, 'sign_in_link', { email });
    const answer = await locked(() => expectAlike(known.email, unknown.email, look));
    expect(answer.status).toBe(202);
  });

  it.each(['new_customer', 'link_existing'])('does not show in how a code is refused (%s)', async (mode) => {
    const nobody = new Customer(service);
    const registrations = [
      await register(anybody, known.email, { mode }),
      await register(anybody, nobody.email, { mode }),
    ] as const;
    // One gets a letter with a code, the other one without.
    await nobody.letters();
    const pending = await locked(() => expectAlike(...registrations, (registration) => claim(anybody, registration)));
    expect(pending.status).toBe(202);
    for (let tries = 1; tries <= 6; tries += 1) {
      const [one, other] = await locked(
        async () =>
          [
            await statements.during(() => claim(anybody, registrations[0], '000000')),
            await statements.during(() => claim(anybody, registrations[1], '000000')),
          ] as const,
      );
      expect(one.result.body.code).toBe('code_invalid');
      expectSame(one, other);
    }
  });
});
