'use client';

import { RefreshCw, Wrench } from 'lucide-react';
import { DeadEnd } from './DeadEnd.tsx';
import { Key } from './Key.tsx';

/** What a page shows when it could not be made. `digest` finds the cause in the log; the cause itself stays there. */
export function Broken({ digest }: { digest: string | undefined }) {
  return (
    <DeadEnd
      icon={Wrench}
      title="Something broke on our side"
      next={
        <button type="button" className="btn" onClick={() => window.location.reload()}>
          <RefreshCw className="icon" />
          Try again
        </button>
      }
    >
      <p>
        Nothing was lost and nothing was charged by reading this page.
        {digest ? (
          <>
            {' '}
            Key for support: <Key>{digest}</Key>
          </>
        ) : null}
      </p>
    </DeadEnd>
  );
}
