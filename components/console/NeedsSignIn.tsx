import { lasting } from '@/server/service/terms.ts';

/** Before moving money: the sign-in is too old. */
export function NeedsSignIn({ next }: { next: string }) {
  return (
    <div className="max-w-decision">
      <h1 className="text-h1">Sign in again first</h1>
      <p className="mt-3 text-ui text-ink-2">
        Moving money needs a sign-in of the last {lasting('freshSignIn')}. The link of the letter leads back here.
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
