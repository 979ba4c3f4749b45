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

interface Current {
  number: number;
  open: (number: number) => void;
}

const CurrentPassage = createContext<Current>({ number: 1, open: () => {} });

/** The address of a passage within its page; without scripts it is a plain jump. */
function anchorOf(number: number): string {
  return `passage-${number}`;
}

function numberInAddress(): number | null {
  const match = /^#passage-(\d+)$/.exec(window.location.hash);
  return match ? Number(match[1]) : null;
}

/** Keeps which passage is open. The address carries it, so a link to a passage opens it and Back goes back. */
export function Citations({ count, children }: { count: number; children: ReactNode }) {
  const [number, setNumber] = useState(1);

  useEffect(() => {
    function follow() {
      const named = numberInAddress();
      if (named !== null && named >= 1 && named <= count) setNumber(named);
    }
    follow();
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, [count]);

  const open = useCallback((next: number) => {
    setNumber(next);
    window.history.pushState(null, '', `#${anchorOf(next)}`);
    // After the passage is shown: on a wide screen it is in view already, and the list must not jump away.
    requestAnimationFrame(() => {
      const passage = document.getElementById(anchorOf(next));
      passage?.focus({ preventScroll: true });
      passage?.scrollIntoView({ block: 'nearest' });
    });
  }, []);

  const current = useMemo(() => ({ number, open }), [number, open]);
  return <CurrentPassage value={current}>{children}</CurrentPassage>;
}

interface LinkProps {
  number: number;
  className: string;
  label?: string;
  children: ReactNode;
  /** Marks itself while its passage is open. */
  marks?: boolean;
}

/** Opens a passage. */
export function PassageLink({ number, className, label, children, marks = false }: LinkProps) {
  const current = useContext(CurrentPassage);
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    current.open(number);
  }
  return (
    <a
      href={`#${anchorOf(number)}`}
      className={className}
      aria-label={label}
      aria-current={marks && current.number === number ? 'true' : undefined}
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
      hidden={current.number !== number}
      className="noscript:block! print:block! print:break-inside-avoid print:not-first:border-t print:not-first:border-line noscript:not-first:border-t noscript:not-first:border-line"
    >
      {children}
    </article>
  );
}
