import type { ReactNode } from 'react';

/** A section of a page under one ink rule. `id` names it, for links to it and for assistive technology. */
export function RuledSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="mt-10 scroll-mt-6">
      <h2 id={id} className="border-b border-ink pb-2 text-h3">
        {title}
      </h2>
      {children}
    </section>
  );
}
