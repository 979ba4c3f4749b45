import { type Hex, toHex } from 'viem';
import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

// The phrase that every local Ethereum node uses for its rich test accounts. It is public: never send value to it.
const TEST_PHRASE = `${'test '.repeat(11)}junk`;

/** The accounts that send the facilitator's transactions and pay their gas. */
export function facilitatorAccounts(): [HDAccount, ...HDAccount[]] {
  return [testAccount(1), ...[3, 4, 5, 6, 7, 8].map(testAccount)];
}

/** The default receiving account. */
export function sellerAccount(): HDAccount {
  return testAccount(2);
}

/** Its transactions to itself make blocks. */
export function idleAccount(): HDAccount {
  return testAccount(9);
}

/** An account unknown to the service, for what anybody can do. */
export function strangerAccount(): HDAccount {
  return testAccount(0);
}

/** One of the ten accounts that the node funds. */
function testAccount(addressIndex: number): HDAccount {
  return mnemonicToAccount(TEST_PHRASE, { addressIndex });
}

/** The private key of one of these accounts. */
export function privateKeyOf(account: HDAccount): Hex {
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error(`${account.address} has no private key here.`);
  return toHex(privateKey);
}
