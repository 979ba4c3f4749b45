import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** A page without actions: the facts, then one next step. */
export function DeadEnd(props: { icon?: LucideIcon; title: ReactNode; children: ReactNode; next?: ReactNode }) {
  const { icon: Icon, title, children, next } = props;
  return (
    <div className="mx-auto max-w-decision px-4 py-12 md:py-24">
      <div className="panel p-6 md:p-8">
        {Icon ? <Icon className="icon mb-3 size-5 text-ink-3" /> : null}
        <h1 className="text-h1">{title}</h1>
        <div className="mt-2 space-y-3 text-body text-ink-2">{children}</div>
        {next ? <div className="mt-6 flex flex-wrap gap-3">{next}</div> : null}
      </div>
    </div>
  );
}
