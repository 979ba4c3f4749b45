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

interface Opened {
  number: number;
  /** The finding whose mark opened it; null when none did. */
  from: number | null;
}

interface Current extends Opened {
  /** `control` names what inside the passage takes the focus; without it the passage does. */
  open: (opened: Opened, control?: string) => void;
}

const CurrentPassage = createContext<Current>({ number: 1, from: null, open: () => {} });

/** The address of a passage within its page; without scripts it is a plain jump. */
function anchorOf(number: number): string {
  return `passage-${number}`;
}

function numberInAddress(): number | null {
  const match = /^#passage-(\d+)$/.exec(window.location.hash);
  return match ? Number(match[1]) : null;
}

/** Once the passage is shown. On a wide screen it is in view already, and the list beside it must not jump away. */
function moveTo(number: number, control?: string): void {
  requestAnimationFrame(() => {
    const passage = document.getElementById(anchorOf(number));
    const target = control ? passage?.querySelector<HTMLElement>(`[aria-label="${control}"]`) : passage;
    target?.focus({ preventScroll: true });
    passage?.scrollIntoView({ block: 'nearest' });
  });
}

/** Keeps which passage is open. The address carries it, so a link to a passage opens it and Back goes back. */
export function Citations({ count, children }: { count: number; children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>({ number: 1, from: null });

  useEffect(() => {
    function follow() {
      const named = numberInAddress();
      if (named === null || named < 1 || named > count) return;
      setOpened({ number: named, from: null });
      moveTo(named);
    }
    follow();
    // Also fires for Back and Forward between two passages.
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [count]);

  const open = useCallback((next: Opened, control?: string) => {
    setOpened(next);
    window.history.pushState(null, '', `#${anchorOf(next.number)}`);
    moveTo(next.number, control);
  }, []);

  const current = useMemo(() => ({ ...opened, open }), [opened, open]);
  return <CurrentPassage value={current}>{children}</CurrentPassage>;
}

interface LinkProps {
  number: number;
  className: string;
  label?: string;
  children: ReactNode;
  /** The finding whose mark this is; it shows while the mark's passage is open. */
  finding?: number;
}

/** Opens a passage. */
export function PassageLink({ number, className, label, children, finding }: LinkProps) {
  const current = useContext(CurrentPassage);
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    current.open({ number, from: finding ?? null }, label);
  }
  return (
    <a
      href={`#${anchorOf(number)}`}
      className={className}
      aria-label={label}
      aria-current={finding !== undefined && current.from === finding && current.number === number ? 'true' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

/** A passage that shows while it is open, and always on paper and without scripts. */
export function PassageFrame({ number, children }: { number: number; children: ReactNode }) {
  const current = useContext(CurrentPassage);
  return (
    <article
      id={anchorOf(number)}
      tabIndex={-1}
      aria-labelledby={`${anchorOf(number)}-name`}
      // A class, not the attribute: what is hidden by attribute no stylesheet can show on paper.
      className={`-outline-offset-2 noscript:not-first:border-t noscript:not-first:border-line print:break-inside-avoid print:not-first:border-t print:not-first:border-line ${current.number === number ? '' : 'hidden noscript:block print:block'}`}
    >
      {children}
    </article>
  );
}
