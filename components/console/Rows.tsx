import type { ReactNode } from 'react';
import { Price } from '../purchases/Price.tsx';
import { Moment } from './Moment.tsx';

interface RowListProps {
  id: string;
  title: string;
  /** What to do about the rows. */
  advice: string;
  /** Shown when there are none. */
  nothing?: string;
  shown: number;
  total: number;
  children: ReactNode;
}

/** Rows that need an operator: how many, what to do, and the first of them. */
export function RowList({
  id,
  title,
  advice,
  nothing = 'Nothing is waiting here.',
  shown,
  total,
  children,
}: RowListProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="scroll-mt-16 text-h2">
        {title}: {total}
      </h2>
      <p className="text-dense text-ink-3">{total === 0 ? nothing : advice}</p>
      <ul className="mt-3 border-t border-ink text-dense">{children}</ul>
      {total > shown ? <p className="mt-2 text-dense text-ink-3">{total - shown} more.</p> : null}
    </section>
  );
}

interface RowProps {
  at: string;
  now: Date;
  microcents?: number | null;
  children: ReactNode;
}

/** One row: when, how much, and what. */
export function Row({ at, now, microcents = null, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2.5">
      <span className="text-ink-3">
        <Moment at={at} now={now} />
      </span>
      {microcents === null ? null : (
        <span className="tabular-nums">
          <Price microcents={microcents} />
        </span>
      )}
      {children}
    </li>
  );
}

/** The action on a row: a link to its confirmation, or the role it needs. */
export function RowAct({ href, may, children }: { href: string; may: string | null; children: ReactNode }) {
  if (may !== null) return <span className="ml-auto text-ink-3">{may}</span>;
  return (
    <a className="btn btn-sm ml-auto" href={href}>
      {children}
    </a>
  );
}

/** Links to the next page and back to the first. */
export function Pager({ first, next }: { first: string | null; next: string | null }) {
  if (!first && !next) return null;
  return (
    <p className="mt-4 flex gap-3">
      {first ? (
        <a className="btn btn-sm" href={first}>
          First page
        </a>
      ) : null}
      {next ? (
        <a className="btn btn-sm" href={next}>
          Next page
        </a>
      ) : null}
    </p>
  );
}
