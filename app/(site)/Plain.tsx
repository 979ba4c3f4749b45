import type { ReactNode } from 'react';

/** A page of text. */
export function Plain({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <div className="mx-auto max-w-read px-4 py-12 md:py-16">
      <h1 className="text-h1">{title}</h1>
      <p className="mt-3 text-body text-ink-2">{lead}</p>
      <div className="mt-8 space-y-4 text-body">{children}</div>
      <nav
        aria-label="Terms, privacy, contact"
        className="mt-10 flex flex-wrap gap-x-6 border-t border-line pt-4 text-ui"
      >
        {['Terms', 'Privacy', 'Contact'].map((name) => (
          <a key={name} href={`/${name.toLowerCase()}`} className="link inline-flex min-h-8 items-center">
            {name}
          </a>
        ))}
      </nav>
    </div>
  );
}
