import { lasting } from '@/server/service/terms.ts';

/** Asks to sign in again before moving money. */
export function NeedsSignIn({ next }: { next: string }) {
  return (
    <div className="max-w-decision">
      <h1 className="text-h1">Sign in again first</h1>
      <p className="mt-3 text-ui text-ink-2">
        To move money you must have signed in within the last {lasting('freshSignIn')}. The link in the letter leads
        back here.
      </p>
      <p className="mt-6 flex gap-3">
        <a className="btn" href={next}>
          Back
        </a>
        <a className="btn btn-primary" href={`/sign-in?${new URLSearchParams({ next })}`}>
          Sign in again
        </a>
      </p>
    </div>
  );
}
