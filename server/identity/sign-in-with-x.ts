import { randomBytes } from 'node:crypto';
import { type Address, getAddress, isAddressEqual, recoverMessageAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { z } from 'zod';
import { after } from '../kernel/clock.ts';
import type { Queries } from '../kernel/database.ts';
import { newKey } from '../kernel/id.ts';
import { keyedHash, type SecretKey } from '../kernel/keyring.ts';
import { sql } from '../kernel/sql.ts';
import { Problem } from '../problems/problem.ts';
import type { Context } from '../runtime.ts';
import { seconds } from '../service/terms.ts';
import { isCanonical, plainSignatureLength, signInChainId, signInStatement } from './wallet.ts';

/** The x402 extension `sign-in-with-x`: a wallet shows by one signature who reads, for one request and without a session. */

const signInWithX = 'sign-in-with-x';

const chainId = `eip155:${signInChainId}`;
/** Half of the nonce is drawn, half says that we drew it: nothing is kept for a probe. */
const nonceBytes = 8;
const maxProofLength = 8_192;

interface Challenge {
  domain: string;
  uri: string;
  version: '1';
  nonce: string;
  issuedAt: string;
  expirationTime: string;
  statement: string;
  resources: string[];
}

type Asking = Pick<Context, 'runtime' | 'baseUrl' | 'now'>;

/** What a 402 at `uri` carries for clients of the extension. */
export function signInExtension({ runtime, baseUrl, now }: Asking, uri: string): Record<string, unknown> {
  const drawn = randomBytes(nonceBytes).toString('hex');
  const { first } = runtime.configuration.keyring;
  const info = challengeAt(baseUrl, uri, { nonce: nonceOf(drawn, uri, now, first), issuedAt: now });
  return { [signInWithX]: { info, supportedChains: [{ chainId, type: 'eip191' }], schema } };
}

function challengeAt(baseUrl: string, uri: string, { nonce, issuedAt }: { nonce: string; issuedAt: Date }): Challenge {
  return {
    domain: new URL(baseUrl).host,
    uri,
    version: '1',
    nonce,
    issuedAt: issuedAt.toISOString(),
    expirationTime: after(issuedAt, seconds.challengeLifetime).toISOString(),
    statement: signInStatement,
    resources: [uri],
  };
}

function nonceOf(drawn: string, uri: string, issuedAt: Date, { codes }: SecretKey): string {
  const mark = Buffer.from(keyedHash(codes, `${signInWithX} ${uri} ${issuedAt.toISOString()} ${drawn}`), 'base64url');
  return drawn + mark.toString('hex', 0, nonceBytes);
}

const Proof = z.object({
  domain: z.string(),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  uri: z.string(),
  version: z.string(),
  chainId: z.string(),
  type: z.string(),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  issuedAt: z.iso.datetime({ precision: 3 }),
  expirationTime: z.string(),
  statement: z.string(),
  resources: z.array(z.string()),
  signature: z.string().regex(/^0x[0-9a-fA-F]+$/),
});

/**
 * The wallet, in lower case, that signed what the header `SIGN-IN-WITH-X` holds, for a request at `uri`. A challenge
 * works once: it is spent before anything is read. Throws `signature_invalid`, `challenge_expired` or
 * `contract_wallet_unsupported`.
 */
export async function walletSignedIn(db: Queries, ctx: Asking, uri: string, header: string): Promise<Address> {
  const { address, chainId: chain, type, signature, nonce, ...said } = proofIn(header);
  const issuedAt = new Date(said.issuedAt);
  const asked = challengeAt(ctx.baseUrl, uri, { nonce, issuedAt });
  const differs = Object.keys(said).find(
    (name) => String(said[name as keyof typeof said]) !== String(asked[name as keyof Challenge]),
  );
  if (differs || chain !== chainId || type !== 'eip191') {
    throw new Problem('signature_invalid', `The proof is for something else: ${differs ?? 'chainId'} differs.`);
  }
  const isOurs = ctx.runtime.configuration.keyring.all.some(
    (key) => nonceOf(nonce.slice(0, 2 * nonceBytes), uri, issuedAt, key) === nonce,
  );
  if (!isOurs || after(issuedAt, seconds.challengeLifetime) <= ctx.now) throw spent();
  const message = createSiweMessage({
    ...asked,
    address: getAddress(address.toLowerCase()),
    chainId: signInChainId,
    issuedAt,
    expirationTime: new Date(asked.expirationTime),
  });
  await requireSigner(message, address as Address, signature as `0x${string}`);
  const wallet = address.toLowerCase() as Address;
  const taken = await db.maybe(sql`
    insert into wallet_challenges (challenge_key, address, nonce, message, created_at, expires_at, used_at)
    values (${newKey('challenge')}, ${wallet}, ${nonce}, ${message}, ${issuedAt}, ${new Date(asked.expirationTime)}, ${ctx.now})
    on conflict (nonce) do nothing returning 1 as taken`);
  if (!taken) throw spent();
  return wallet;
}

function proofIn(header: string): z.output<typeof Proof> {
  const unreadable = new Problem('signature_invalid', 'SIGN-IN-WITH-X is not the base 64 of a proof.');
  if (header.length > maxProofLength) throw unreadable;
  try {
    return Proof.parse(JSON.parse(Buffer.from(header, 'base64').toString('utf8')));
  } catch {
    throw unreadable;
  }
}

const spent = () => new Problem('challenge_expired', 'The challenge is unknown, has expired or was used.');

async function requireSigner(message: string, address: Address, signature: `0x${string}`): Promise<void> {
  if (signature.length > plainSignatureLength) {
    throw new Problem('contract_wallet_unsupported', 'The signature is not from an externally owned account.');
  }
  const signer = isCanonical(signature) ? await recoverMessageAddress({ message, signature }).catch(() => null) : null;
  if (!signer || !isAddressEqual(signer, address)) {
    throw new Problem('signature_invalid', 'The signature does not match this message and address.');
  }
}

const text = { type: 'string' } as const;
const instant = { type: 'string', format: 'date-time' } as const;

/** What a proof looks like, as the extension wants it beside the challenge. */
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri: { type: 'string', format: 'uri' },
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: instant,
    expirationTime: instant,
    resources: { type: 'array', items: { type: 'string', format: 'uri' } },
    signature: text,
  },
  required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
} as const;
