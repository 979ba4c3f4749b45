import type { ContractFunctionRevertedError } from 'viem';

/** The refusal of a transfer that its payer's balance does not cover. */
export const insufficientBalance = 'invalid_exact_evm_insufficient_balance';

/** The words of the `exact` scheme of x402 for what the token says. */
const refusals: readonly [RegExp, string][] = [
  [/authorization is used/, 'invalid_exact_evm_nonce_already_used'],
  [/authorization is expired/, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/authorization is not yet valid/, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/signature/i, 'invalid_exact_evm_signature'],
  [/balance/i, insufficientBalance],
];
/** A selector of OpenZeppelin's ERC-20: `ERC20InsufficientBalance`. */
const insufficientBalanceError = '0xe450d38c';

/** Why the token does not carry a transfer out, in the words of x402. */
export function refusalFor(reverted: ContractFunctionRevertedError): string {
  if (reverted.signature === insufficientBalanceError) return insufficientBalance;
  const known = refusals.find(([words]) => words.test(reverted.reason ?? ''));
  return known?.[1] ?? 'invalid_exact_evm_transaction_simulation_failed';
}

/** Whether a refusal means that the transfer has happened, by whoever carried it out. */
export function saysUsed(refusal: string): boolean {
  return refusal === 'invalid_exact_evm_nonce_already_used';
}
