'use client';

import { useEffect, useRef } from 'react';

/** `/` and ⌘K or Ctrl+K focus the search field, except while typing elsewhere. */
export function SearchKeys() {
  const hint = useRef<HTMLElement>(null);
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const isChord = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      const target = event.target as HTMLElement;
      const isTyping = target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (!isChord && (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey || event.altKey)) return;
      event.preventDefault();
      hint.current?.closest('form')?.querySelector('input')?.focus();
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <kbd ref={hint} className="kbd hidden noscript:hidden md:inline-flex">
      /
    </kbd>
  );
}
