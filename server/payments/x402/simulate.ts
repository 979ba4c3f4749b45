import {
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  getContractError,
  prepareEncodeFunctionData,
} from 'viem';
import { type SignedTransfer, unixSeconds } from './authorization.ts';
import { type ChainNode, token } from './node.ts';
import { refusalFor } from './token-refusals.ts';

/** Its selector is hashed once. */
const transfer = prepareEncodeFunctionData({ abi: token, functionName: 'transferWithAuthorization' });

/**
 * Null when the token would carry the transfer out now, else why not, in the words that x402 has for it. Moves nothing.
 */
export async function refusalOf(
  { client }: ChainNode,
  { authorization, signature }: SignedTransfer,
): Promise<string | null> {
  const { asset, from, to, amount, nonce } = authorization;
  const [validAfter, validBefore] = [unixSeconds(authorization.validAfter), unixSeconds(authorization.validBefore)];
  const args = [from, to, amount, validAfter, validBefore, nonce, signature] as const;
  try {
    await client.call({ to: asset, data: encodeFunctionData({ ...transfer, args }) });
    return null;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const { functionName } = transfer;
    const refused = getContractError(error, { abi: token, address: asset, args, docsPath: '', functionName });
    const reverted = refused.walk((one) => one instanceof ContractFunctionRevertedError);
    if (reverted instanceof ContractFunctionRevertedError) return refusalFor(reverted);
    throw error;
  }
}
