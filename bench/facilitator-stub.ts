/**
 * A facilitator and a chain that answer at once and move nothing, in a process of their own behind the real protocols:
 * what is left of a payment is the service's own work. `facilitator-stub.ts PORT PAY_TO`; serves both on one port.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { encodeAbiParameters, encodeEventTopics, type Hex, keccak256, pad, parseAbi } from 'viem';

const [port, payTo] = process.argv.slice(2);
const networks = ['eip155:84532', 'eip155:421614'];
const token = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

interface Settled {
  asset: Hex;
  from: Hex;
  nonce: Hex;
  amount: bigint;
}
const settled = new Map<string, Settled>();

// Never close idle connections: the service might be sending on one.
createServer({ keepAliveTimeout: 0 }, async (req, res) => {
  const body = await text(req);
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify(answer(req.url ?? '/', body)));
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

function answer(url: string, body: string): unknown {
  if (url === '/supported') {
    return {
      kinds: networks.map((network) => ({ x402Version: 2, scheme: 'exact', network })),
      extensions: [],
      signers: {},
    };
  }
  const request = JSON.parse(body);
  if (url === '/settle') {
    const { authorization } = request.paymentPayload.payload;
    const { asset, amount, network } = request.paymentRequirements;
    const transaction = keccak256(authorization.nonce);
    settled.set(transaction, { asset, from: authorization.from, nonce: authorization.nonce, amount: BigInt(amount) });
    return { success: true, transaction, network, payer: authorization.from };
  }
  return { jsonrpc: '2.0', id: request.id, result: resultOf(request) };
}

function resultOf({ method, params }: { method: string; params: [Hex] }): unknown {
  switch (method) {
    // The token would carry every transfer out: a call that returns nothing has not been refused.
    case 'eth_call':
      return '0x';
    // What the worker watches for: nothing ever happened on this chain.
    case 'eth_blockNumber':
      return '0x1';
    case 'eth_getLogs':
      return [];
    default:
      return receiptOf(params[0]);
  }
}

/** `eth_getTransactionReceipt`: how a payment that was carried out is confirmed. */
function receiptOf(hash: Hex): unknown {
  const payment = settled.get(hash);
  if (!payment) return null;
  const place = {
    address: payment.asset,
    blockHash: hash,
    blockNumber: '0x1',
    transactionHash: hash,
    transactionIndex: '0x0',
  };
  const used = encodeEventTopics({
    abi: token,
    eventName: 'AuthorizationUsed',
    args: { authorizer: payment.from, nonce: payment.nonce },
  });
  const moved = encodeEventTopics({
    abi: token,
    eventName: 'Transfer',
    args: { from: payment.from, to: payTo as Hex },
  });
  const value = encodeAbiParameters([{ type: 'uint256' }], [payment.amount]);
  return {
    ...{
      transactionHash: hash,
      transactionIndex: '0x0',
      blockHash: hash,
      blockNumber: '0x1',
      from: pad('0x1', { size: 20 }),
    },
    ...{ to: payment.asset, cumulativeGasUsed: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', contractAddress: null },
    ...{ status: '0x1', type: '0x2', logsBloom: pad('0x0', { size: 256 }) },
    logs: [
      { ...place, topics: used, data: '0x', logIndex: '0x0', removed: false },
      { ...place, topics: moved, data: value, logIndex: '0x1', removed: false },
    ],
  };
}

async function text(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
