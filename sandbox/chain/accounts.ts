import { type Hex, toHex } from 'viem';
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

/** The private key of one of these accounts. */
export function privateKeyOf(account: HDAccount): Hex {
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error(`${account.address} has no private key here.`);
  return toHex(privateKey);
}
