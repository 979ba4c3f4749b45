/** The peer: a route that `@x402/express` guards. `express-seller.ts PORT FACILITATOR_URL PAY_TO`. */
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';

const [port, facilitatorUrl, payTo = ''] = process.argv.slice(2);
const network = 'eip155:84532';
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitatorUrl ?? '' })).register(
  network,
  new ExactEvmScheme(),
);
const app = express();
app.use(
  paymentMiddleware(
    { 'POST /paid': { accepts: { scheme: 'exact', network, payTo, price: '$5' }, description: 'Paid' } },
    server,
  ),
);
app.post('/paid', (_request, response) => {
  response.json({ paid: true });
});
const listening = app.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
// Never close idle connections: a buyer might be sending on one.
listening.keepAliveTimeout = 0;
