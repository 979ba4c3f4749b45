import { type Address, type Hex, type Log, parseAbi, parseEventLogs } from 'viem';

/** What the token (EIP-20, EIP-3009) writes into a chain's log. */
export const tokenEvents = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

/** A transfer of the token, as the log of its transaction shows it. Addresses and hashes are in lower case. */
export interface LoggedTransfer {
  transaction: Hex;
  /** Among all logs of its transaction. An index within the block would move in a reorganisation. */
  position: number;
  blockNumber: bigint;
  blockHash: Hex;
  /** Within the block, which is how a search for logs names it. */
  logIndex: number;
  from: Address;
  to: Address;
  /** In the token's smallest units. */
  amount: bigint;
  /** Of the authorization that it carries out; null for a transfer that its sender sent without one. */
  nonce: Hex | null;
}

/** An authorization that a transaction used: with the transfer it carried out, or canceled without one. */
export interface LoggedAuthorization {
  from: Address;
  nonce: Hex;
  transfer: LoggedTransfer | null;
}

/**
 * What one transaction did with the token, read from its own logs in their order. A transfer belongs to the
 * authorization whose log stands directly before its own, by the same account (EIP-3009 as Circle's FiatToken emits it):
 * nothing else in a transaction joins the two, however many authorizations and transfers it holds.
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
    // Strict: a log with other topics than these is none of these events.
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
