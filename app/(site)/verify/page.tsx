import type { Metadata } from 'next';
import { VerifyPurchase } from '@/components/purchases/VerifyPurchase.tsx';
import { Key } from '@/components/ui/Key.tsx';

export const metadata: Metadata = { title: 'Verify a purchase' };

/** The `verify` command as a page: without an account, and without sending anything. */
export default function VerifyPage() {
  return (
    <div className="mx-auto max-w-page px-4 pt-8 pb-16 md:px-6 md:pt-12">
      <h1 className="text-h1">Verify a purchase</h1>
      <p className="mt-1 mb-6 max-w-read text-ink-2">
        Checks a purchase from its offer to its last receipt and runs every check and proof in its reports again. It
        happens in this browser: what you choose is sent nowhere. The command <Key>work-check verify</Key> does the same
        without a browser.
      </p>
      <VerifyPurchase />
      <p className="hidden noscript:block">This page needs scripts. The command needs none.</p>
    </div>
  );
}
