import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { memberContext } from './member.ts';

export const metadata: Metadata = { robots: { index: false } };

const places = [
  ['Agents', '/agents'],
  ['Sources', '/sources'],
] as const;

export default async function CustomerLayout({ children }: { children: ReactNode }) {
  const { email } = await memberContext();
  return (
    <PageFrame
      nav={
        email === null ? null : (
          <nav aria-label="Account" className="flex gap-4 md:gap-5">
            {places.map(([name, href]) => (
              <a key={href} href={href} className="inline-flex min-h-8 items-center text-ui text-ink-2 hover:text-ink">
                {name}
              </a>
            ))}
          </nav>
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
