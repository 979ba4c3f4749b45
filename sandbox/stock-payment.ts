// For the tests: a buyer and a seller built from the x402 packages alone, knowing nothing of the sandbox.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@x402/core/http';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme as BuyerScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as SellerScheme } from '@x402/evm/exact/server';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Sandbox } from './start.ts';

/** 5 USD, in the token's smallest unit and as a seller writes it. */
export const PRICE_UNITS = 5_000_000n;
const PRICE = '$5.00';

export type Payment = { payload: PaymentPayload; requirements: PaymentRequirements; nonce: string };

/** A client that pays up to 10 USD from the wallet, on the networks that `network` names. */
export function buyer(privateKey: Hex, network: Network): x402Client {
  return new x402Client()
    .register(network, new BuyerScheme(privateKeyToAccount(privateKey)))
    .setSpendControls({ maxAmountPerPayment: '$10' });
}

/** Sells one thing at any path for 5 USD, on either network. */
export async function startSeller({ facilitatorUrl, payTo }: Sandbox): Promise<{ server: Server; url: string }> {
  const networks: Network[] = ['eip155:84532', 'eip155:421614'];
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl }));
  for (const network of networks) resources.register(network, new SellerScheme());
  await resources.initialize();
  const options = networks.map((network) => ({
    scheme: 'exact',
    network,
    payTo,
    price: PRICE,
    maxTimeoutSeconds: 120,
  }));
  const server = createServer(async (request, response) => {
    const accepts = await resources.buildPaymentRequirementsFromOptions(options, {});
    const header = request.headers['payment-signature'];
    const payload = typeof header === 'string' ? decodePaymentSignatureHeader(header) : undefined;
    const requirements = payload && resources.findMatchingRequirements(accepts, payload);
    const verified = requirements && (await resources.verifyPayment(payload, requirements));
    if (!requirements || !verified?.isValid) {
      const url = `http://${request.headers.host}${request.url}`;
      const required = await resources.createPaymentRequiredResponse(accepts, { url }, verified?.invalidReason);
      response.writeHead(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) }).end();
      return;
    }
    const settled = await resources.settlePayment(payload, requirements);
    response.writeHead(settled.success ? 200 : 402, { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(settled) });
    response.end(settled.success ? 'sold' : settled.errorReason);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}` };
}

/** A payment of 5 USD, signed by the wallet and ready for the facilitator. */
export async function signPayment(sandbox: Sandbox, privateKey: Hex, network: Network): Promise<Payment> {
  const chains: { network: string; asset: string; asset_name: string; asset_version: string }[] = await (
    await fetch(`${sandbox.controlUrl}/chains`)
  ).json();
  const chain = chains.find((one) => one.network === network);
  if (!chain) throw new Error(`The sandbox has no ${network}.`);
  const requirements: PaymentRequirements = {
    scheme: 'exact',
    network,
    amount: PRICE_UNITS.toString(),
    asset: chain.asset,
    payTo: sandbox.payTo,
    maxTimeoutSeconds: 120,
    extra: { name: chain.asset_name, version: chain.asset_version },
  };
  const resource = { url: 'http://127.0.0.1/thing', description: 'A thing', mimeType: 'text/plain' };
  const payload = await buyer(privateKey, network).createPaymentPayload({
    x402Version: 2,
    resource,
    accepts: [requirements],
  });
  const { authorization } = payload.payload as { authorization: { nonce: string } };
  return { payload, requirements, nonce: authorization.nonce };
}
