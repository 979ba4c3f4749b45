import { Notice } from '@/components/ui/Notice.tsx';
import { lasting } from '@/server/service/terms.ts';

/** Says that the sign-in is too old to give an agent power. Signing in leads back here with what was typed. */
export function FreshSignIn({ next }: { next: string }) {
  return (
    <Notice tone="attention">
      Nothing was changed. To give an agent more power, you must have signed in within the last {lasting('freshSignIn')}
      .{' '}
      <a href={`/sign-in?${new URLSearchParams({ next })}`} className="link">
        Sign in again
      </a>{' '}
      to come back here with what you typed. You can take power away at any time.
    </Notice>
  );
}
