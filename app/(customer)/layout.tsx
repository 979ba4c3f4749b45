import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { memberContext } from './member.ts';

export const metadata: Metadata = { robots: { index: false } };

export default async function CustomerLayout({ children }: { children: ReactNode }) {
  const { email } = await memberContext();
  return (
    <PageFrame
      nav={
        email === null ? null : (
          <a href="/agents" className="inline-flex min-h-8 items-center text-ui text-ink-2 hover:text-ink">
            Agents
          </a>
        )
      }
      actions={
        email === null ? (
          <a href="/sign-in" className="btn btn-plain -mr-3.5">
            Sign in
          </a>
        ) : (
          <>
            <span className="max-w-[12rem] truncate text-dense text-ink-2 max-md:hidden">{email}</span>
            <form action="/sign-out" method="post">
              <button type="submit" className="btn btn-plain -mr-3.5">
                Sign out
              </button>
            </form>
          </>
        )
      }
    >
      {children}
    </PageFrame>
  );
}
