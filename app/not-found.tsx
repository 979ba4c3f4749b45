import { FileSearch } from 'lucide-react';
import type { Metadata } from 'next';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';

export const metadata: Metadata = { title: 'Nothing here' };

/** The same page for what does not exist and for what belongs to another account. */
export default function NotFound() {
  return (
    <PageFrame>
      <DeadEnd
        icon={FileSearch}
        title="Nothing here"
        next={
          <a href="/" className="btn">
            Go to the front page
          </a>
        }
      >
        <p>The page does not exist, or belongs to another account.</p>
      </DeadEnd>
    </PageFrame>
  );
}
