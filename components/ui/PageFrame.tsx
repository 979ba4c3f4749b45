import type { ReactNode } from 'react';
import { Mark } from './Mark.tsx';

const MAIN = 'main';

/** Header, page and footer. `nav` and `actions` are in the header, left and right. */
export function PageFrame({ nav, actions, children }: { nav?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <a href={`#${MAIN}`} className="btn btn-primary absolute top-2 left-2 z-20 not-focus:sr-only">
        Skip to the page
      </a>
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex min-h-14 max-w-page items-center gap-4 px-4 max-md:flex-wrap md:gap-8 md:px-6">
          <a href="/" className="inline-flex min-h-6 items-center gap-2.5 rounded-tag text-ink">
            <Mark className="h-[18px] w-auto" />
            <span className="text-h3 font-semibold tracking-[-0.02em]">Work Check</span>
          </a>
          {nav}
          {actions ? <div className="ml-auto flex items-center gap-2">{actions}</div> : null}
        </div>
      </header>
      <main id={MAIN} tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <PageFooter />
    </div>
  );
}

const footerLinks = [
  ['How agents buy', '/docs'],
  ['Quality', '/quality'],
  ['Verify a purchase', '/verify'],
  ['Terms', '/terms'],
  ['Privacy', '/privacy'],
  ['Contact', '/contact'],
  ['Availability', '/#live'],
  ['Status', '/status'],
  ['Security', '/.well-known/security.txt'],
] as const;

function PageFooter() {
  return (
    <footer className="border-t border-line print:hidden">
      <div className="mx-auto flex max-w-page flex-wrap items-center gap-x-6 gap-y-1 px-4 py-6 text-dense text-ink-3 md:px-6">
        <span className="w-full md:w-auto">An assessment for the buyer’s review. It does not certify the work.</span>
        <nav aria-label="Help and terms" className="flex flex-wrap gap-x-6 md:ml-auto">
          {footerLinks.map(([name, href]) => (
            <a key={href} href={href} className="inline-flex min-h-8 items-center hover:text-ink">
              {name}
            </a>
          ))}
        </nav>
      </div>
    </footer>
  );
}
