'use client';

import { Broken } from '@/components/ui/Broken.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <PageFrame>
      <Broken digest={error.digest} retry={reset} />
    </PageFrame>
  );
}
