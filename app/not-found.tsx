import type { Metadata } from 'next';
import { NothingHere } from '@/components/ui/NothingHere.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';

export const metadata: Metadata = { title: 'Nothing here' };

/** An address that no page has. */
export default function NotFound() {
  return (
    <PageFrame>
      <NothingHere />
    </PageFrame>
  );
}
