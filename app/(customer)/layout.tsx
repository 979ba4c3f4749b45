import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { memberContext } from './member.ts';

export const metadata: Metadata = { robots: { index: false } };

export default async function CustomerLayout({ children }: { children: ReactNode }) {
  const { email } = await memberContext();
  return (
    <PageFrame
      actions={
        email === null ? (
          <a href="/sign-in" className="btn btn-plain -mr-3.5">
            Sign in
          </a>
        ) : (
          <span className="truncate text-dense text-ink-2">{email}</span>
        )
      }
    >
      {children}
    </PageFrame>
  );
}
