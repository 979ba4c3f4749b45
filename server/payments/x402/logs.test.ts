import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, type Log } from 'viem';
import { describe, expect, it } from 'vitest';
import { readLogs, tokenEvents } from './logs.ts';

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const nonce = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [token, payer, us, other] = [address('a'), address('1'), address('2'), address('3')];

type Event = { topics: Hex[]; data: Hex; address: Address };
const transfer = (from: Address, to: Address, value: bigint, by = token): Event => ({
  address: by,
  topics: encodeEventTopics({ abi: tokenEvents, eventName: 'Transfer', args: { from, to } }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
});
const authorization = (
  eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
  authorizer: Address,
  of: Hex,
  by = token,
): Event => ({
  address: by,
  topics: encodeEventTopics({ abi: tokenEvents, eventName, args: { authorizer, nonce: of } }) as Hex[],
  data: '0x',
});
const used = (authorizer: Address, of: Hex, by = token) => authorization('AuthorizationUsed', authorizer, of, by);

/** The logs of a transaction whose first is the 7th of its block. */
const read = (...events: Event[]) =>
  readLogs(
    events.map(
      (event, index) =>
        ({
          ...event,
          logIndex: index + 7,
          blockNumber: 12n,
          blockHash: nonce('b'),
          transactionHash: nonce('f'),
        }) as unknown as Log<bigint, number, false>,
    ),
    token,
  );

describe('the logs of a transaction', () => {
  it('join an authorization to the transfer directly behind it, and count their own positions', () => {
    const { transfers, authorizations } = read(
      transfer(other, us, 1n),
      used(payer, nonce('1')),
      transfer(payer, us, 5n),
    );
    expect(transfers).toMatchObject([
      { position: 0, logIndex: 7, nonce: null },
      { position: 2, logIndex: 9, blockNumber: 12n, from: payer, to: us, amount: 5n, nonce: nonce('1') },
    ]);
    expect(authorizations).toEqual([{ from: payer, nonce: nonce('1'), transfer: transfers[1] }]);
  });

  it.each<[string, Event[]]>([
    ['a log of another contract stands between', [used(payer, nonce('1')), transfer(payer, us, 5n, other)]],
    ['another authorization stands between', [used(payer, nonce('1')), used(other, nonce('2'))]],
    ['it was used by somebody else', [used(other, nonce('1'))]],
    ['it was canceled', [authorization('AuthorizationCanceled', payer, nonce('1'))]],
    ['another token used it', [used(payer, nonce('1'), other)]],
    ['its transfer is the one before', [transfer(payer, us, 0n), used(payer, nonce('1')), used(payer, nonce('2'))]],
  ])('join no authorization to a transfer when %s', (_, before) => {
    const { transfers, authorizations } = read(...before, transfer(payer, us, 5n));
    const joined = authorizations.filter((one) => one.nonce === nonce('1') && one.transfer);
    expect(joined).toEqual([]);
    expect(transfers.filter((one) => one.nonce === nonce('1'))).toEqual([]);
  });

  it('join each of several pairs by itself, whatever order they are told in', () => {
    const events = [
      used(payer, nonce('1')),
      transfer(payer, payer, 0n),
      used(payer, nonce('2')),
      transfer(payer, us, 5n),
    ];
    const { authorizations } = read(...events);
    expect(authorizations.map((one) => [one.nonce, one.transfer?.to, one.transfer?.amount])).toEqual([
      [nonce('1'), payer, 0n],
      [nonce('2'), us, 5n],
    ]);
  });
});
