'use client';

import { useEffect, useRef } from 'react';

/** What each key does, as the list of `?` tells it. */
const keys = [
  ['/', 'Search'],
  ['J', 'Next row'],
  ['K', 'Row before'],
  ['Enter', 'Open the row'],
  ['?', 'This list'],
] as const;

/** Rows that lead somewhere: those of tables, or else of lists. */
const rows = ['main tbody tr:has(a[href])', 'main :is(ul, ol) > li:has(a[href])'];

/** Moves the focus to the link of the next row, or of the one before; from elsewhere to the first. */
function step(by: 1 | -1): void {
  const all = rows.map((one) => [...document.querySelectorAll(one)]).find((found) => found.length > 0) ?? [];
  const here = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[here === -1 ? 0 : Math.min(Math.max(here + by, 0), all.length - 1)];
  const link = next?.querySelector<HTMLElement>('a[href]');
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}

/** `/` and ⌘K or Ctrl+K focus the search field, J and K walk through rows, `?` lists keys, except while typing. */
export function SearchKeys() {
  const hint = useRef<HTMLElement>(null);
  const list = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const acts: Record<string, () => void> = {
      '/': () => hint.current?.closest('form')?.querySelector('input')?.focus(),
      j: () => step(1),
      k: () => step(-1),
      '?': () => list.current?.showModal(),
    };
    function listen(event: KeyboardEvent) {
      const target = event.target as HTMLElement;
      const isTyping = target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      const isChord = event.metaKey || event.ctrlKey;
      const key = event.key.toLowerCase();
      const act = isChord ? (key === 'k' ? acts['/'] : undefined) : isTyping || event.altKey ? undefined : acts[key];
      if (!act || list.current?.open) return;
      event.preventDefault();
      act();
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <kbd ref={hint} className="kbd hidden noscript:hidden md:inline-flex">
        /
      </kbd>
      <dialog ref={list} aria-labelledby="keys" className="panel m-auto p-5 text-ui">
        <p id="keys" className="text-h3">
          Keys
        </p>
        <dl className="facts mt-2">
          {keys.map(([key, what]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="kbd">{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <button type="button" className="btn mt-4" onClick={() => list.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
