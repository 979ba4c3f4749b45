import { Notice } from '@/components/ui/Notice.tsx';
import { lasting } from '@/server/service/terms.ts';

/** Says that the sign-in is too old to give an agent power, and leads back here with what was typed. */
export function FreshSignIn({ next }: { next: string }) {
  return (
    <Notice tone="attention">
      Nothing was changed. Giving an agent power needs a sign-in of the last {lasting('freshSignIn')}.{' '}
      <a href={`/sign-in?${new URLSearchParams({ next })}`} className="link">
        Sign in again
      </a>{' '}
      to come back here with what you typed. Taking power away works at once.
    </Notice>
  );
}
