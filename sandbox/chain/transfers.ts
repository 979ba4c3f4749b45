import { type Address, type Hex, parseAbi } from 'viem';
import type { Chain } from './chain.ts';

/** A token transfer on the chain now: the truth to compare answers with. */
export type Transfer = {
  from: Address;
  to: Address;
  /** In the asset's smallest unit. */
  amount: string;
  /** The EIP-3009 nonce that authorized it; null for any other transfer. */
  nonce: Hex | null;
  transaction: Hex;
  block_number: number;
};

const TRANSFERS_MAX = 50_000;
const [TRANSFER, AUTHORIZATION_USED] = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

/** The newest transfers first, at most 50,000, filtered by `from`, `to` and `nonce` of the query. */
export async function findTransfers(chain: Chain, query: URLSearchParams): Promise<Transfer[]> {
  const logs = await chain.client.getLogs({
    address: chain.network.asset,
    events: [TRANSFER, AUTHORIZATION_USED],
    fromBlock: 0n,
    strict: true,
  });
  const transfers: Transfer[] = [];
  let authorization: { transaction: Hex; nonce: Hex } | undefined;
  for (const log of logs) {
    if (log.eventName === 'AuthorizationUsed') {
      // The token announces the authorization just before the transfer that it pays for.
      authorization = { transaction: log.transactionHash, nonce: log.args.nonce };
      continue;
    }
    transfers.push({
      from: log.args.from,
      to: log.args.to,
      amount: log.args.value.toString(),
      nonce: authorization?.transaction === log.transactionHash ? authorization.nonce : null,
      transaction: log.transactionHash,
      block_number: Number(log.blockNumber),
    });
    authorization = undefined;
  }
  const wanted = (name: 'from' | 'to' | 'nonce', transfer: Transfer) => {
    const value = query.get(name);
    return value === null || value.toLowerCase() === transfer[name]?.toLowerCase();
  };
  const matching = transfers.filter((t) => wanted('from', t) && wanted('to', t) && wanted('nonce', t));
  return matching.reverse().slice(0, TRANSFERS_MAX);
}
