import { amountText } from '@/components/purchases/Price.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { operations } from '@/server/operations.ts';
import { price, priceInDollars } from '@/server/service/terms.ts';

const stockClient = `import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';

const wallet = privateKeyToAccount(process.env.WALLET_KEY); // needs USDC on one of the chains, no ether
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
// Stock clients stop at 1 USD.
client.setSpendControls({ maxAmountPerPayment: '${priceInDollars}' });
const pay = wrapFetchWithPayment(fetch, client);

await pay(job.next_actions.find(({ action }) => action === 'pay').href, {
  method: 'POST',
  headers: { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' },
  body: JSON.stringify({ rail: 'x402', idempotency_key: key }),
});`;

const bodies = [
  ['{"rail": "x402"}', '402 with what to sign; then 200. USDC on any listed chain, or on the one that network names.'],
  ['{"rail": "x402", "method": "wallet_credit"}', '200: credit pays if it covers the whole price.'],
  [
    '{"rail": "card", "method": "card_checkout"}',
    '202 with continuation_url: give it to whoever pays, by card or USDC.',
  ],
  [
    '{"rail": "card", "method": "card_saved"}',
    '200: the newest card that the account keeps is charged; 202 if its holder must approve.',
  ],
] as const;

/** Every way to pay, how to configure a stock x402 client, and where to get money for tests. */
export function Paying({ testFunds }: { testFunds: string | null }) {
  return (
    <>
      <p>
        Send one of these with an <Key>idempotency_key</Key>. The job’s <Key>next_actions</Key> lists those that work
        now, the likeliest first, each with a key of its own. <Key>payment</Key> of the job is the open payment, with
        its <Key>continuation_url</Key>, if an answer was lost.
      </p>
      <dl className="border-t border-ink text-ui">
        {bodies.map(([body, answer]) => (
          <div key={body} className="border-b border-line py-2">
            <dt>
              <Key>{body}</Key>
            </dt>
            <dd>{answer}</dd>
          </div>
        ))}
      </dl>
      <p>
        For USDC, payment is x402 <strong className="font-semibold text-ink">version 2</strong>, scheme <Key>exact</Key>
        : the 402 says what to sign in its body and in <Key>PAYMENT-REQUIRED</Key>, and the repeat carries the signature
        in <Key>PAYMENT-SIGNATURE</Key>. Version 1 (<Key>X-PAYMENT</Key>) is not accepted. The client of{' '}
        <Key>@x402/fetch</Key> refuses payments over 1 USD by default; allow exactly {amountText(price)}. That of{' '}
        <Key>@x402/axios</Key> 2.11 pays what is asked.
      </p>
      <CodeBlock name="Pay with a stock client" code={stockClient} />
      <InOneCall />
      <p>
        If the wallet has no funds on the chain it signed for, the 402 names the other chain; to pay there, use a new
        idempotency key. If a payment is unreadable or invalid, the answer is a 402 with <Key>error</Key>; sign again
        and repeat with the same key.
      </p>
      {testFunds ? <p>This installation takes test money. {testFunds}</p> : null}
    </>
  );
}

/** The purchase that needs neither credential nor quote. */
function InOneCall() {
  const { method, path } = operations.buy_check;
  return (
    <p>
      A wallet can buy in one call: <Key>{`${method} ${path}`}</Key> answers the 402 and, once paid, the job. A wallet
      that is new here gets a <Key>session</Key> with it; others sign in, or read at <Key>read_url</Key> with{' '}
      <Key>sign-in-with-x</Key>.
    </p>
  );
}
