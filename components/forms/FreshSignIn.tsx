import { Notice } from '@/components/ui/Notice.tsx';
import { lasting } from '@/server/service/terms.ts';

/** Says that the sign-in is too old for what was asked. Signing in leads back here with what was typed. */
export function FreshSignIn({ next, to = 'give an agent more power' }: { next: string; to?: string }) {
  return (
    <Notice tone="attention">
      Nothing was changed. To {to}, you must have signed in within the last {lasting('freshSignIn')}.{' '}
      <a href={`/sign-in?${new URLSearchParams({ next })}`} className="link">
        Sign in again
      </a>{' '}
      to come back here with what you typed. You can take power away at any time.
    </Notice>
  );
}
