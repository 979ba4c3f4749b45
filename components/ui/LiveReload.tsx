'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Often enough for a watching reader, rare enough for a forgotten tab. */
const EVERY_MS = 3_000;

/** Refreshes the page while it is visible and this component is in it. */
export function LiveReload() {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [router]);
  return null;
}
