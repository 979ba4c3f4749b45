'use client';

import { Broken } from '@/components/ui/Broken.tsx';

/** What breaks outside of a page's own code: inside the frame of the section. */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return <Broken digest={error.digest} />;
}
