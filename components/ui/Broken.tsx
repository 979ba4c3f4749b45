import { RefreshCw, Wrench } from 'lucide-react';
import { DeadEnd } from './DeadEnd.tsx';
import { Key } from './Key.tsx';

/** Shown when a page failed. `digest` finds the cause in the log; the cause itself stays there. */
export function Broken({ digest }: { digest: string | undefined }) {
  return (
    <DeadEnd
      icon={Wrench}
      title="Something broke on our side"
      next={
        // biome-ignore lint/a11y/useValidAnchor: an empty address is this page, loaded again with or without script
        <a className="btn" href="">
          <RefreshCw className="icon" />
          Try again
        </a>
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
