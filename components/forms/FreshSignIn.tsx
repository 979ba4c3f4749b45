import { Notice } from '@/components/ui/Notice.tsx';

/** Why raising was refused, and the way on. */
export function FreshSignIn({ next }: { next: 'agents' | 'connect' }) {
  return (
    <Notice tone="attention">
      Nothing was changed. Raising what an agent may do needs a sign-in of the last 10 minutes.{' '}
      <a href={`/sign-in?next=${next}`} className="link">
        Sign in again
      </a>
      , then repeat it. Lowering works at once.
    </Notice>
  );
}
