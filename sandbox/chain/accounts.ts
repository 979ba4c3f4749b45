import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

// The phrase that every local Ethereum node uses for its rich test accounts. It is public: never send value to it.
const TEST_PHRASE = `${'test '.repeat(11)}junk`;

/** The account that sends the facilitator's transactions and pays their gas. */
export function facilitatorAccount(): HDAccount {
  return mnemonicToAccount(TEST_PHRASE, { addressIndex: 1 });
}

/** The account that buyers pay when nothing else is configured. */
export function sellerAccount(): HDAccount {
  return mnemonicToAccount(TEST_PHRASE, { addressIndex: 2 });
}
