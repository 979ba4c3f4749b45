'use client';

import {
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import type { StatementStatus } from '@/server/work-check/contract.ts';
import { type StatementPage, statementPage } from './statement-pages.ts';

/** The finding or statement that led to a passage, by number. */
interface Origin {
  kind: 'finding' | 'statement';
  number: number;
}

interface Opened {
  passage: number;
  /** Null if the reader came from the address or the previous passage. */
  from: Origin | null;
  /** The current statement. */
  statement: number | null;
  /** Whether the reader asked for a passage or statement. */
  isAsked: boolean;
}

export type Shown = StatementStatus | 'all';

interface Current extends Opened {
  shown: Shown;
  page: StatementPage;
  show: (shown: Shown) => void;
  /** `control`: the element in the passage to focus; by default the passage. */
  openPassage: (passage: number, from: Origin | null, control?: string) => void;
  openStatement: (statement: number) => void;
}

const nowhere = () => {};
const CurrentPassage = createContext<Current>({
  passage: 1,
  from: null,
  statement: null,
  isAsked: false,
  shown: 'all',
  page: statementPage(1, 0),
  show: nowhere,
  openPassage: nowhere,
  openStatement: nowhere,
});

export const useCitations = (): Current => useContext(CurrentPassage);

/** The anchor of a passage or statement; without scripts a plain jump. */
export const anchorOf = (kind: 'passage' | Origin['kind'], number: number): string => `${kind}-${number}`;

/** Whether a click opens another tab or window: leave that to the browser. */
export const isElsewhere = ({ metaKey, ctrlKey, shiftKey }: MouseEvent): boolean => metaKey || ctrlKey || shiftKey;

/** Scrolls once shown. On a wide screen the passage is already in view, and the list must not jump. */
function moveTo(anchor: string, control?: string): void {
  requestAnimationFrame(() => {
    const place = document.getElementById(anchor);
    // A statement or finding in a fold.
    for (let fold = place?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
    const target = control ? place?.querySelector<HTMLElement>(`[aria-label="${control}"]`) : place;
    target?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: 'nearest' });
  });
}

/**
 * The fragment of the address, `#` included. Next drops one that was opened while the page came to life, as it then
 * writes the address it began with; the document still knows its target.
 */
function fragment(): string {
  const target = document.querySelector(':target')?.id;
  return window.location.hash || (target ? `#${target}` : '');
}

interface Props {
  /** How many passages the report cites. */
  passages: number;
  /** The first passage of the page. */
  first: number;
  page: StatementPage;
  /** The first passage cited by each statement, or null. */
  firstPassages: readonly (number | null)[];
  children: ReactNode;
}

/** Keeps the open passage and statement in the address, so that links open them and Back returns. */
export function Citations({ passages, first, page, firstPassages, children }: Props) {
  const [opened, setOpened] = useState<Opened>({
    passage: first,
    from: null,
    statement: null,
    isAsked: false,
  });
  const [shown, show] = useState<Shown>('all');

  const select = useCallback(
    (statement: number) =>
      setOpened((before) => {
        const passage = firstPassages[statement - 1];
        if (!passage) return { ...before, statement };
        return { passage, statement, isAsked: true, from: { kind: 'statement', number: statement } };
      }),
    [firstPassages],
  );

  useEffect(() => {
    function follow() {
      const [, kind, digits] = /^#(passage|statement)-(\d+)$/.exec(fragment()) ?? [];
      const number = Number(digits);
      if (kind === undefined || number < 1) return;
      if (number > (kind === 'passage' ? passages : firstPassages.length)) return;
      if (kind === 'statement') select(number);
      else setOpened((before) => ({ ...before, passage: number, from: null, isAsked: true }));
      moveTo(`${kind}-${digits}`);
    }
    follow();
    // Also fires for Back and Forward between two passages.
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [passages, firstPassages, select]);

  const openPassage = useCallback<Current['openPassage']>((passage, from, control) => {
    setOpened(({ statement }) => ({
      passage,
      from,
      isAsked: true,
      statement: from?.kind === 'statement' ? from.number : statement,
    }));
    const anchor = anchorOf('passage', passage);
    window.history.pushState(null, '', `#${anchor}`);
    moveTo(anchor, control);
  }, []);

  const openStatement = useCallback<Current['openStatement']>(
    (statement) => {
      select(statement);
      const anchor = anchorOf('statement', statement);
      window.history.pushState(null, '', `#${anchor}`);
      moveTo(anchor);
    },
    [select],
  );

  const current = useMemo(
    () => ({ ...opened, shown, page, show, openPassage, openStatement }),
    [opened, shown, page, openPassage, openStatement],
  );
  return <CurrentPassage value={current}>{children}</CurrentPassage>;
}

interface LinkProps {
  number: number;
  className: string;
  label?: string;
  children: ReactNode;
  /** The finding or statement of this mark; shown while its passage is open. */
  from?: Origin;
}

/** Opens a passage. */
export function PassageLink({ number, className, label, children, from }: LinkProps) {
  const current = useCitations();
  const isCurrent =
    from !== undefined &&
    current.passage === number &&
    current.from?.kind === from.kind &&
    current.from.number === from.number;
  function follow(event: MouseEvent) {
    if (isElsewhere(event)) return;
    event.preventDefault();
    current.openPassage(number, from ?? null, label);
  }
  return (
    <a
      href={`#${anchorOf('passage', number)}`}
      className={className}
      aria-label={label}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

/** The passages: beside the findings on a large screen, and below them on a phone once one is asked for. */
export function PassageColumn({ children }: { children: ReactNode }) {
  const { isAsked } = useCitations();
  return (
    <section
      className={`panel overflow-hidden lg:sticky lg:top-6 print:static ${isAsked ? '' : 'max-lg:hidden noscript:block print:block'}`}
      aria-labelledby="passages"
    >
      <h2 id="passages" className="sr-only">
        Cited passages
      </h2>
      {children}
    </section>
  );
}

/** A passage, shown while open, and always on paper and without scripts. */
export function PassageFrame({ number, children }: { number: number; children: ReactNode }) {
  const current = useCitations();
  const anchor = anchorOf('passage', number);
  return (
    <article
      id={anchor}
      tabIndex={-1}
      aria-labelledby={`${anchor}-name`}
      // A class, not the attribute: a stylesheet cannot show on paper what the attribute hides.
      className={`-outline-offset-2 noscript:not-first:border-t noscript:not-first:border-line print:break-inside-avoid print:not-first:border-t print:not-first:border-line ${current.passage === number ? '' : 'hidden noscript:block print:block'}`}
    >
      {children}
    </article>
  );
}

/** Leads back to the finding or statement that opened the passage. */
export function ReturnLink({ passage }: { passage: number }) {
  const { passage: open, from, openStatement } = useCitations();
  if (from === null || open !== passage) return null;
  function follow(event: MouseEvent) {
    if (from?.kind !== 'statement' || isElsewhere(event)) return;
    event.preventDefault();
    openStatement(from.number);
  }
  return (
    <a
      href={`#${anchorOf(from.kind, from.number)}`}
      className="link inline-flex min-h-6 items-center text-dense print:hidden"
      onClick={follow}
    >
      Back to {from.kind} {from.number}
    </a>
  );
}
