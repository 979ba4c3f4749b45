import { encodePaymentSignatureHeader } from '@x402/core/http';
import { createSIWxClientExtension, createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { newAgent } from '../../../e2e/support/customer.ts';
import { startService } from '../../../e2e/support/service.ts';
import { sql } from '../../kernel/sql.ts';
import { exampleRequest } from '../../work-check/sample.ts';

const service = await startService();
const anybody = newAgent(service);
const check = '/api/x402/v1/check';

type Info = Parameters<typeof createSIWxPayload>[0];
type Wallet = Agent['wallet'];
type Proof = Awaited<ReturnType<typeof createSIWxPayload>>;

let buyer: Agent;
let jobKey: string;
let readUrl: string;
let session: { access_token: string };
beforeAll(async () => {
  buyer = await Agent.withWallet(service);
  const payment = await buyer.createPayment((await anybody.post(check)).body);
  const bought = await anybody.post(check, exampleRequest, {
    'payment-signature': encodePaymentSignatureHeader(payment),
  });
  ({ job_key: jobKey, read_url: readUrl, session } = bought.body);
});

const challengeAt = async (url: string): Promise<Info> => {
  const { info, supportedChains } = (await anybody.get(url)).body.extensions['sign-in-with-x'];
  return { ...info, ...supportedChains[0] };
};
const proofOf = (info: Info, wallet: Wallet = buyer.wallet) => createSIWxPayload(info, wallet, service.baseUrl);
const read = (proof: object | string, url = readUrl) =>
  anybody.get(url, { 'sign-in-with-x': typeof proof === 'string' ? proof : encodeSIWxHeader(proof as Proof) });
const spentNonces = () =>
  service.runtime.db.one<{ count: number }>(sql`select count(*)::int as count from wallet_challenges`);

/** A client of the extension, which would pay if it were asked to. */
const stock = (wallet: Wallet) =>
  wrapFetchWithPayment(fetch, new x402Client().registerExtension(createSIWxClientExtension({ signers: [wallet] })));

describe('the payer of a check', () => {
  it('reads job and report with a stock client of sign-in-with-x, and without a session', async () => {
    const before = await stock(buyer.wallet)(readUrl);
    expect([before.status, ((await before.json()) as { report: unknown }).report]).toEqual([200, null]);
    await service.execute(jobKey);
    const after = await stock(buyer.wallet)(readUrl);
    const body = (await after.json()) as { job_key: string; state: string; report: { verdict: string } };
    expect([after.status, body.job_key, body.state, body.report.verdict]).toEqual([200, jobKey, 'delivered', 'revise']);
    expect(after.headers.get('cache-control')).toContain('private');
  });

  it('is asked by a probe that costs nothing and keeps nothing, whatever the key', async () => {
    const before = await spentNonces();
    for (const url of [readUrl, `${check}/job_none`]) {
      const { status, body, headers } = await anybody.get(url);
      expect([status, body.accepts]).toEqual([402, []]);
      expect(JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString())).toEqual(body);
      const { info } = body.extensions['sign-in-with-x'];
      expect(info).toMatchObject({
        domain: new URL(service.baseUrl).host,
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
    }
    expect(await spentNonces()).toEqual(before);
  });

  it('is told where its session reads, when it sends that instead', async () => {
    const authorization = `Bearer ${session.access_token}`;
    const { status, body } = await anybody.get(readUrl, { authorization });
    const [address = ''] = /http\S+(?= with)/.exec(body.error) ?? [];
    expect([status, (await anybody.get(address, { authorization })).body.job_key]).toEqual([402, jobKey]);
  });
});

describe('a proof', () => {
  it('is good once', async () => {
    const proof = await proofOf(await challengeAt(readUrl));
    expect((await read(proof)).status).toBe(200);
    const again = await read(proof);
    expect([again.status, again.body.code]).toEqual([410, 'challenge_expired']);
  });

  it('of many at once is good once', async () => {
    const proof = await proofOf(await challengeAt(readUrl));
    const answers = await Promise.all(Array.from({ length: 8 }, () => read(proof)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 410)]);
  });

  it('of another wallet reads nothing, and does not tell that the job exists', async () => {
    const known = await Agent.arrive(service);
    for (const wallet of [known.wallet, (await Agent.withWallet(service)).wallet]) {
      const [there, none] = await Promise.all(
        [readUrl, `${service.baseUrl}${check}/job_none`].map(async (url) =>
          read(await proofOf(await challengeAt(url), wallet), url),
        ),
      );
      expect([there?.status, there?.body.code]).toEqual([404, 'not_found']);
      expect({ ...none?.body, request_id: '' }).toEqual({ ...there?.body, request_id: '' });
    }
  });

  it('is good at its own address alone', async () => {
    const elsewhere = `${service.baseUrl}${check}/job_other`;
    const refused = await read(await proofOf(await challengeAt(elsewhere)));
    expect([refused.status, refused.body.code]).toEqual([401, 'signature_invalid']);
  });

  it('is over when its challenge is', async () => {
    const proof = await proofOf(await challengeAt(readUrl));
    service.advanceClock(301);
    const late = await read(proof);
    expect([late.status, late.body.code]).toEqual([410, 'challenge_expired']);
  });

  it.each<[string, (info: Info) => Info, string]>([
    [
      'another domain',
      (info) => ({ ...info, domain: 'shop.example', uri: `https://shop.example${new URL(info.uri).pathname}` }),
      'signature_invalid',
    ],
    ['another origin', (info) => ({ ...info, uri: info.uri.replace('http://', 'https://') }), 'signature_invalid'],
    ['another chain', (info) => ({ ...info, chainId: 'eip155:1' }), 'signature_invalid'],
    ['another statement', (info) => ({ ...info, statement: 'Pay 5 USD.' }), 'signature_invalid'],
    ['a longer life', (info) => ({ ...info, expirationTime: '2099-01-01T00:00:00.000Z' }), 'signature_invalid'],
    [
      'a nonce that was not drawn here',
      (info) => ({ ...info, nonce: '0123456789abcdef'.repeat(2) }),
      'challenge_expired',
    ],
    [
      'a later beginning',
      (info) => {
        const issuedAt = new Date(Date.parse(info.issuedAt) + 60_000);
        const expirationTime = new Date(issuedAt.getTime() + 300_000).toISOString();
        return { ...info, issuedAt: issuedAt.toISOString(), expirationTime };
      },
      'challenge_expired',
    ],
  ])('for %s is refused', async (_, change, code) => {
    const info = change(await challengeAt(readUrl));
    // As a thief's page would have the wallet sign it.
    const proof = await createSIWxPayload(info, buyer.wallet, info.uri);
    expect((await read(proof)).body.code).toBe(code);
  });

  it('that was altered after signing, or is none, is refused', async () => {
    const proof = await proofOf(await challengeAt(readUrl));
    const other = (await Agent.withWallet(service)).wallet.address;
    const twin = (signature: string) =>
      signature.slice(0, 66) + highTwin(signature.slice(66, 130)) + flipped(signature.slice(130));
    const bad: [object | string, string][] = [
      [{ ...proof, address: other }, 'signature_invalid'],
      [{ ...proof, signature: `0x${'11'.repeat(65)}` }, 'signature_invalid'],
      [{ ...proof, signature: twin(proof.signature) }, 'signature_invalid'],
      [{ ...proof, signature: `${proof.signature}00` }, 'contract_wallet_unsupported'],
      [{ ...proof, nonce: 7 }, 'signature_invalid'],
      ['', 'signature_invalid'],
      ['e30=', 'signature_invalid'],
      ['%%%', 'signature_invalid'],
      ['A'.repeat(9_000), 'signature_invalid'],
    ];
    for (const [each, code] of bad) expect([each, (await read(each)).body.code]).toEqual([each, code]);
    // None of them spent the challenge.
    expect((await read(proof)).status).toBe(200);
  });
});

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const highTwin = (s: string) => (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
const flipped = (v: string) => (v === '1b' ? '1c' : '1b');
