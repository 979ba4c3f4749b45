import { type Address, type Hex, type Log, parseAbi, parseEventLogs } from 'viem';

/** The token's log events (EIP-20, EIP-3009). */
export const tokenEvents = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

/** A token transfer, from its transaction's logs. Addresses and hashes in lower case. */
export interface LoggedTransfer {
  transaction: Hex;
  /** Among its transaction's logs. Indexes within a block move in reorganisations. */
  position: number;
  blockNumber: bigint;
  blockHash: Hex;
  /** Within the block, as log searches name it. */
  logIndex: number;
  from: Address;
  to: Address;
  /** In the token's smallest units. */
  amount: bigint;
  /** The authorization's nonce; null for an ordinary transfer. */
  nonce: Hex | null;
}

/** An authorization used with its transfer, or canceled. */
export interface LoggedAuthorization {
  from: Address;
  nonce: Hex;
  transfer: LoggedTransfer | null;
}

/**
 * A transaction's token events, from its own logs. A transfer belongs to the authorization logged directly before it by
 * the same account (EIP-3009 as Circle's FiatToken emits it); nothing else links the two.
 */
export function readLogs(
  logs: readonly Log<bigint, number, false>[],
  asset: Address,
): { transfers: LoggedTransfer[]; authorizations: LoggedAuthorization[] } {
  const transfers: LoggedTransfer[] = [];
  const authorizations: LoggedAuthorization[] = [];
  const inOrder = logs.toSorted((one, other) => one.logIndex - other.logIndex);
  let opened: LoggedAuthorization | null = null;
  for (const [position, log] of inOrder.entries()) {
    const before: LoggedAuthorization | null = opened;
    opened = null;
    if (lower(log.address) !== lower(asset)) continue;
    // Strict: other topics are other events.
    const [event] = parseEventLogs({ abi: tokenEvents, logs: [log], strict: true });
    if (!event) continue;
    if (event.eventName !== 'Transfer') {
      const authorization = { from: lower(event.args.authorizer), nonce: lower(event.args.nonce), transfer: null };
      authorizations.push(authorization);
      if (event.eventName === 'AuthorizationUsed') opened = authorization;
      continue;
    }
    const from = lower(event.args.from);
    const transfer: LoggedTransfer = {
      transaction: lower(log.transactionHash),
      position,
      blockNumber: log.blockNumber,
      blockHash: lower(log.blockHash),
      logIndex: log.logIndex,
      from,
      to: lower(event.args.to),
      amount: event.args.value,
      nonce: before?.from === from ? before.nonce : null,
    };
    if (before?.from === from) before.transfer = transfer;
    transfers.push(transfer);
  }
  return { transfers, authorizations };
}

function lower<Text extends Hex>(text: Text): Text {
  return text.toLowerCase() as Text;
}
