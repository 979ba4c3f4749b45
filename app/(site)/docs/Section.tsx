import type { ReactNode } from 'react';

/** A section of the guide with its own anchor. */
export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="border-t border-line py-10 first:border-0 first:pt-0">
      <h2 id={id} className="text-h2">
        {title}
      </h2>
      <div className="mt-4 space-y-4 text-body text-ink-2">{children}</div>
    </section>
  );
}
