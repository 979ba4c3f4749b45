import type { ContractFunctionRevertedError } from 'viem';

/** The payer's balance is too low. */
export const insufficientBalance = 'invalid_exact_evm_insufficient_balance';

/** The signature is no longer good, or not for as long as asked. */
export const expired = 'invalid_exact_evm_payload_authorization_valid_before';
/** The transfer happened before. */
const used = 'invalid_exact_evm_nonce_already_used';

/** The token's reasons in the words of x402's `exact` scheme. */
const refusals: readonly [RegExp, string][] = [
  [/authorization is used/, used],
  [/authorization is expired/, expired],
  [/authorization is not yet valid/, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/signature/i, 'invalid_exact_evm_signature'],
  [/balance/i, insufficientBalance],
];
/** A selector of OpenZeppelin's ERC-20: `ERC20InsufficientBalance`. */
const insufficientBalanceError = '0xe450d38c';

/** Why the token refuses a transfer, in x402's words. */
export function refusalFor(reverted: ContractFunctionRevertedError): string {
  if (reverted.signature === insufficientBalanceError) return insufficientBalance;
  const known = refusals.find(([words]) => words.test(reverted.reason ?? ''));
  return known?.[1] ?? 'invalid_exact_evm_transaction_simulation_failed';
}

/** The code at the head of a refusal: the rest is for people. */
export function codeOf(refusal: string): string {
  return /^[a-z0-9]+(?:_[a-z0-9]+)+/.exec(refusal)?.[0] ?? 'invalid_transaction_state';
}

/** Whether the refusal means that the transfer already happened. */
export function saysUsed(refusal: string): boolean {
  return refusal === used;
}
