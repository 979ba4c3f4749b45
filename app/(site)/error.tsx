'use client';

import { Broken } from '@/components/ui/Broken.tsx';

/** Shows errors that a page did not handle, in the section's frame. */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return <Broken digest={error.digest} />;
}
