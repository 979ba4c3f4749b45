import { DeadEnd } from './DeadEnd.tsx';
import { Key } from './Key.tsx';

/**
 * Shown when a page fails. `digest` finds the cause in the log, which the page does not show. Every page loads this
 * before anything failed: without icons it is 1 kB of script instead of 3.
 */
export function Broken({ digest }: { digest: string | undefined }) {
  return (
    <DeadEnd
      title="Something broke on our side"
      next={
        // biome-ignore lint/a11y/useValidAnchor: an empty address reloads this page, with or without scripts
        <a className="btn" href="">
          Try again
        </a>
      }
    >
      <p>
        Loading this page lost nothing and charged nothing.
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
