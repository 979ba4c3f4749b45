import type { Metadata } from 'next';
import { NothingHere } from '@/components/ui/NothingHere.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import { SignIn } from './(site)/SignIn.tsx';

export const metadata: Metadata = { title: 'Nothing here' };

/** An unknown address, and the console for whoever has no role, or no session any more. */
export default function NotFound() {
  return (
    <PageFrame actions={<SignIn />}>
      <NothingHere />
    </PageFrame>
  );
}
