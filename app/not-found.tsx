import type { Metadata } from 'next';
import { NothingHere } from '@/components/ui/NothingHere.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';

export const metadata: Metadata = { title: 'Nothing here' };

/** An unknown address. */
export default function NotFound() {
  return (
    <PageFrame>
      <NothingHere />
    </PageFrame>
  );
}
