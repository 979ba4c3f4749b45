import { Wallet } from 'lucide-react';
import type { Metadata } from 'next';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { WalletSignIn } from '@/components/wallet/WalletSignIn.tsx';
import { walletPage } from '@/server/identity/destination.ts';
import { type ProblemCode, problems } from '@/server/problems/catalogue.ts';
import { lasting } from '@/server/service/terms.ts';
import { show } from '../../../../show.tsx';
import { memberContext } from '../../../member.ts';
import { noticeAt } from '../../../notice.ts';

export const metadata: Metadata = { title: 'Sign in with a wallet' };

/** Sign-in with Ethereum (EIP-4361) for the owner of a wallet. Opening it changes nothing. */
export default show(async ({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) => {
  const next = walletPage((await searchParams).next);
  const { email, wallet } = await memberContext();
  const refused = await noticeAt('/sign-in/wallet');
  const before = email ?? wallet;
  return (
    <DeadEnd icon={Wallet} title="Sign in with a wallet" next={<WalletSignIn next={next} />}>
      <p>
        After signing in you see what your wallet bought, with reports and receipts. Signing proves that the wallet is
        yours. It authorizes no payment and costs nothing. The sign-in lasts {lasting('walletSession')}.
      </p>
      {before === null ? null : (
        <p>
          Signing in here signs <strong className="font-medium wrap-anywhere text-ink">{before}</strong> out of this
          browser.
        </p>
      )}
      {refused !== null && Object.hasOwn(problems, refused) ? (
        <Notice tone="attention">{problems[refused as ProblemCode].title}. Nobody was signed in; sign again.</Notice>
      ) : null}
    </DeadEnd>
  );
});
