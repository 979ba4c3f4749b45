import type { JWK } from 'jose';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { z } from 'zod';
import type { operations } from '../server/operations.ts';

/**
 * What the client's types take from elsewhere, all of it here: the published package has this file written out in plain
 * TypeScript (`commands/client-types.ts`), so that its types need no other package.
 */

export type OperationName = keyof typeof operations;
export type InputOf<Name extends OperationName> = z.input<(typeof operations)[Name]['input']>;
export type OutputOf<Name extends OperationName> = z.output<(typeof operations)[Name]['output']>;

export type { CheckRequest } from '../server/work-check/contract.ts';
export type { Bundle } from './verify/bundle.ts';

/** Signs in and pays; an account of viem is one. */
export type Wallet = PrivateKeyAccount;

/** A public key (RFC 7517). */
export type PublicKey = JWK;
