'use client';

import { Broken } from '@/components/ui/Broken.tsx';

/** Errors outside of a page's own code, shown in the section's frame. */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return <Broken digest={error.digest} />;
}
