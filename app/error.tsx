'use client';

import { Broken } from '@/components/ui/Broken.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';

export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  return (
    <PageFrame>
      <Broken digest={error.digest} />
    </PageFrame>
  );
}
