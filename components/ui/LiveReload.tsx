'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Often enough for whoever looks on, seldom enough for one who leaves the page open. */
const EVERY_MS = 3_000;

/** Reads the page again while it is looked at, as long as it stands in it. */
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
