'use client';

import { useEffect } from 'react';

/** Remembers how far this page was read, and returns there when it comes back from one of its forms. */
export function KeepPlace({ restores }: { restores: boolean }) {
  useEffect(() => {
    const key = `read to ${window.location.pathname}`;
    const keep = () => sessionStorage.setItem(key, String(window.scrollY));
    const kept = sessionStorage.getItem(key);
    if (restores && kept !== null) window.scrollTo({ top: Number(kept), behavior: 'instant' });
    window.addEventListener('pagehide', keep);
    return () => window.removeEventListener('pagehide', keep);
  }, [restores]);
  return null;
}
