import type { ReactNode } from 'react';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { SignIn } from './SignIn.tsx';

const links = [
  ['What is checked', '/#scope'],
  ['Sample report', '/sample-report'],
  ['Price', '/#price'],
  ['How agents buy', '/docs'],
] as const;

export default function SiteLayout({ children }: { children: ReactNode }) {
  return (
    <PageFrame
      nav={
        <nav aria-label="Main" className="hidden gap-6 text-ink-2 md:flex">
          {links.map(([name, href]) => (
            <a key={href} href={href} className="inline-flex min-h-8 items-center hover:text-ink">
              {name}
            </a>
          ))}
        </nav>
      }
      actions={
        <>
          <SignIn />
          <a href="/#connect" className="btn btn-primary max-md:hidden">
            Connect your agent
          </a>
        </>
      }
    >
      {children}
    </PageFrame>
  );
}
