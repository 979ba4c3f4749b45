import { Menu, Search } from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ConsoleNav } from '@/components/console/ConsoleNav.tsx';
import { SearchKeys } from '@/components/console/SearchKeys.tsx';
import { Mark } from '@/components/ui/Mark.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { operatorContext } from './operator.ts';

export const metadata: Metadata = { robots: { index: false } };

function SearchBox() {
  return (
    <search className="max-w-[560px] flex-1">
      <form action="/console/search" method="get" className="field min-h-9 gap-2 px-2.5 text-ui">
        <Search className="icon text-ink-3" />
        <input
          type="search"
          name="q"
          required
          maxLength={255}
          aria-label="Search the console"
          placeholder="Key, e-mail, wallet, transaction, Stripe id, name"
          className="text-ellipsis"
        />
        <SearchKeys />
      </form>
    </search>
  );
}

function SignOut() {
  return (
    <form action="/sign-out" method="post">
      <button type="submit" className="btn btn-plain btn-sm -mx-2.5">
        Sign out
      </button>
    </form>
  );
}

/** Navigation, search box and page. Without a role every page looks missing. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const me = await operatorContext().then(
    (found) => found.me,
    () => null,
  );
  if (!me) return <PageFrame>{children}</PageFrame>;
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[14.5rem_minmax(0,1fr)]">
      <a href="#main" className="btn btn-primary absolute top-2 left-2 z-20 not-focus:sr-only">
        Skip to the page
      </a>
      <aside className="hidden border-r border-line bg-surface md:block print:hidden">
        <div className="sticky top-0 flex h-dvh flex-col overflow-y-auto">
          <div className="flex h-14 flex-none items-center px-5">
            <a href="/console" className="inline-flex min-h-6 items-center gap-2.5 rounded-tag text-ink">
              <Mark className="h-[18px] w-auto" />
              <span className="text-h3 font-semibold tracking-[-0.02em]">Work Check</span>
            </a>
          </div>
          <ConsoleNav label="Console" waiting={me.waiting} />
          <div className="border-t border-line px-5 py-3 text-dense">
            <div className="font-medium wrap-anywhere">{me.name}</div>
            <div className="text-ink-3">{me.role} role, reads of content are audited</div>
            <SignOut />
          </div>
        </div>
      </aside>
      <div className="min-w-0">
        <header className="sticky top-0 z-10 flex h-14 items-center gap-3 border-b border-line bg-surface px-4 md:px-6 print:hidden">
          <details className="md:hidden">
            <summary className="btn btn-plain btn-icon -ml-2 cursor-pointer list-none" aria-label="Console menu">
              <Menu className="icon size-5" />
            </summary>
            <div className="absolute inset-x-0 top-14 z-20 min-w-64 border-b border-line bg-raised pb-3 shadow-bar">
              <ConsoleNav label="Console on a phone" waiting={me.waiting} />
              <div className="px-5 text-dense wrap-anywhere text-ink-3">
                {me.name}, {me.role} <SignOut />
              </div>
            </div>
          </details>
          <SearchBox />
        </header>
        <main id="main" tabIndex={-1} className="px-4 py-6 outline-none md:px-6">
          {children}
        </main>
      </div>
    </div>
  );
}
