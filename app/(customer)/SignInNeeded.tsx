import { Lock } from 'lucide-react';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';

/** In place of a page that only members of the account may see. */
export function SignInNeeded({ what }: { what: string }) {
  return (
    <DeadEnd
      icon={Lock}
      title={`Sign in to read this ${what}`}
      next={
        <a href="/sign-in" className="btn">
          How to sign in
        </a>
      }
    >
      <p>
        Only members of the account that bought the check can read it. Open your sign-in link, then this page again.
      </p>
    </DeadEnd>
  );
}
