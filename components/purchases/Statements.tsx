'use client';

import type { MouseEvent, ReactNode } from 'react';
import type { StatementStatus } from '@/server/work-check/contract.ts';
import { anchorOf, isElsewhere, type Shown, useCitations } from './Citations.tsx';
import { statementHref } from './statement-pages.ts';

interface LinkProps {
  number: number;
  className: string;
  children: ReactNode;
  /** Whether it marks its statement as the current one. */
  isMark?: boolean;
}

/** Opens a statement: its status, and its passage beside it. */
export function StatementLink({ number, className, children, isMark = false }: LinkProps) {
  const { statement, page, openStatement } = useCitations();
  const href = statementHref(number, page);
  function follow(event: MouseEvent) {
    if (isElsewhere(event) || !href.startsWith('#')) return;
    event.preventDefault();
    openStatement(number);
  }
  return (
    <a
      href={href}
      className={className}
      aria-current={isMark && statement === number ? 'true' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

interface StatementProps {
  number: number;
  status: StatementStatus;
}

/** Whether a statement is shown; the current one always is. */
function useIsShown({ number, status }: StatementProps): boolean {
  const { shown, statement } = useCitations();
  return shown === 'all' || shown === status || statement === number;
}

interface MarkProps extends StatementProps {
  className: string;
  text: string;
  /** Number and status, after the words. */
  label: ReactNode;
}

/** A statement in its place in the work. Hidden ones are plain text, so that the Tab key skips them. */
export function StatementMark({ number, status, className, text, label }: MarkProps) {
  if (!useIsShown({ number, status })) return text;
  return (
    <StatementLink number={number} className={className} isMark>
      {text}
      {label}
    </StatementLink>
  );
}

/** A statement's status and reasons. */
export function StatementNote({ number, status, children }: StatementProps & { children: ReactNode }) {
  const isShown = useIsShown({ number, status });
  const { statement } = useCitations();
  return (
    <li
      id={anchorOf('statement', number)}
      tabIndex={-1}
      aria-current={statement === number ? 'true' : undefined}
      className={`grid grid-cols-[1.5rem_minmax(0,1fr)_auto] gap-x-3 border-t border-line px-4 py-2.5 -outline-offset-2 aria-[current]:bg-accent-tint/50 print:break-inside-avoid print:bg-transparent ${isShown ? '' : 'hidden print:grid'}`}
    >
      {children}
    </li>
  );
}

/** Statements behind a line that counts them; open while a kind of statement is chosen. */
export function StatementFold({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const { shown } = useCitations();
  return (
    <details open={shown !== 'all'}>
      <summary className="min-h-6 cursor-pointer border-t border-line px-4 py-2.5 text-ink-2">{summary}</summary>
      {children}
    </details>
  );
}

interface FilterProps {
  options: readonly { shown: Shown; word: string; count: number }[];
}

/** Chooses the statements to show. Without scripts all are shown. */
export function StatementFilter({ options }: FilterProps) {
  const { shown, show } = useCitations();
  return (
    <fieldset className="flex flex-wrap gap-2 noscript:hidden print:hidden">
      <legend className="sr-only">Show statements</legend>
      {options.map((option) => (
        <button
          key={option.shown}
          type="button"
          aria-pressed={shown === option.shown}
          className="btn btn-sm aria-pressed:border-action aria-pressed:bg-action aria-pressed:text-on-action"
          onClick={() => show(option.shown)}
        >
          {option.word} <span className="tabular-nums">{option.count}</span>
        </button>
      ))}
    </fieldset>
  );
}
