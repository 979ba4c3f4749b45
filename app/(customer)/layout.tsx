import { Menu } from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { operatorContext } from '../console/operator.ts';
import { memberContext } from './member.ts';

export const metadata: Metadata = { robots: { index: false } };

const places = [
  ['Purchases', '/purchases'],
  ['Agents', '/agents'],
  ['Sources', '/sources'],
  ['Account', '/account'],
] as const;

/** A wallet's owner has no agents, sources or members. */
const placesOfWallets = places.filter(([, href]) => href === '/purchases');

interface Here {
  /** The address of a member, or of a wallet. */
  name: string;
  isWallet: boolean;
  /** Has a role of an operator, too. */
  isOperator: boolean;
}

function Places({ isWallet, isOperator, className }: Omit<Here, 'name'> & { className: string }) {
  const shown = [...(isWallet ? placesOfWallets : places), ...(isOperator ? [['Console', '/console'] as const] : [])];
  return (
    <nav aria-label="Account" className={className}>
      {shown.map(([name, href]) => (
        <a key={href} href={href} className="inline-flex min-h-8 items-center text-ui text-ink-2 hover:text-ink">
          {name}
        </a>
      ))}
    </nav>
  );
}

function SignOut() {
  return (
    <form action="/sign-out" method="post">
      <button type="submit" className="btn btn-plain -mx-3.5">
        Sign out
      </button>
    </form>
  );
}

/** On a phone the account's navigation is behind a button, which works without scripts. */
function PhoneMenu({ name, ...here }: Here) {
  return (
    <details className="group md:hidden">
      <summary className="btn btn-plain btn-icon -mr-2 cursor-pointer list-none" aria-label="Menu">
        <Menu className="icon size-5" />
      </summary>
      <div className="absolute inset-x-0 top-14 z-20 border-b border-line bg-raised px-4 py-3 shadow-bar">
        <Places {...here} className="grid" />
        <p className="mt-2 border-t border-line pt-3 text-dense wrap-anywhere text-ink-3">{name}</p>
        <SignOut />
      </div>
    </details>
  );
}

export default async function CustomerLayout({ children }: { children: ReactNode }) {
  // The frame also surrounds errors: the page inside shows them.
  const here = await memberContext().then(
    async ({ email, wallet }): Promise<Here | null> => {
      const name = email ?? wallet;
      const isOperator = email !== null && (await operatorContext()).me !== null;
      return name === null ? null : { name, isWallet: wallet !== null, isOperator };
    },
    () => null,
  );
  return (
    <PageFrame
      nav={here === null ? null : <Places {...here} className="flex gap-5 max-md:hidden" />}
      actions={
        here === null ? (
          <a href="/sign-in" className="btn btn-plain -mr-3.5">
            Sign in
          </a>
        ) : (
          <>
            <div className="flex items-center gap-6 max-md:hidden">
              <span className="max-w-[12rem] truncate text-dense text-ink-2" title={here.name}>
                {here.name}
              </span>
              <SignOut />
            </div>
            <PhoneMenu {...here} />
          </>
        )
      }
    >
      {children}
    </PageFrame>
  );
}
