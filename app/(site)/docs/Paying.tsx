import { amountText } from '@/components/purchases/Price.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { price, priceInDollars } from '@/server/service/terms.ts';

const stockClient = `import { wrapFetchWithPayment, x402Client } from '@x402/fetch'; // @x402/axios takes the same client
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';

const wallet = privateKeyToAccount(process.env.WALLET_KEY); // signs; it needs USDC on one of the chains, and no ether
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
// Stock clients stop at 1 USD a payment. A check costs ${amountText(price)}.
client.setSpendControls({ maxAmountPerPayment: '${priceInDollars}' });
const pay = wrapFetchWithPayment(fetch, client);

await pay(job.next_actions.find(({ action }) => action === 'pay').href, {
  method: 'POST',
  headers: { authorization: \`Bearer \${token}\`, 'content-type': 'application/json' },
  body: JSON.stringify({ rail: 'x402', idempotency_key: key }),
});`;

/** How to configure a stock x402 client, and where to get money for tests. */
export function Paying({ testFunds }: { testFunds: string | null }) {
  return (
    <>
      <p>
        Payment is x402 <strong className="font-semibold text-ink">version 2</strong>, scheme <Key>exact</Key>: the 402
        says what to sign in its body and in <Key>PAYMENT-REQUIRED</Key>, and the repeat carries the signature in{' '}
        <Key>PAYMENT-SIGNATURE</Key>. Version 1 is not accepted: a request with <Key>X-PAYMENT</Key> gets a 402 that
        says so. Stock clients refuse payments over 1 USD by default; allow exactly {amountText(price)}.
      </p>
      <CodeBlock name="Pay with a stock client" code={stockClient} />
      <p>
        If the wallet has no funds on the chain it signed for, the 402 names the other chain; to pay there, use a new
        idempotency key. If a payment is unreadable or invalid, the answer is a 402 with <Key>error</Key>; sign again
        and repeat with the same key.
      </p>
      {testFunds ? <p>This installation takes test money. {testFunds}</p> : null}
    </>
  );
}
