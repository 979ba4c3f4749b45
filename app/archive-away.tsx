import { DeadEnd } from '@/components/ui/DeadEnd.tsx';
import { Problem } from '@/server/problems/problem.ts';

/** Whether a page cannot be drawn because a text of an old purchase lies in a bucket that does not answer. */
export function isInArchive(error: unknown): boolean {
  const reasons = error instanceof Problem ? error.extras.members?.reasons : null;
  return Array.isArray(reasons) && reasons.includes('archive_unreachable');
}

/** Shown instead of such a page. */
export function ArchiveAway() {
  return (
    <DeadEnd
      title="The archive does not answer"
      next={
        // biome-ignore lint/a11y/useValidAnchor: an empty address reloads this page, with or without scripts
        <a className="btn" href="">
          Try again
        </a>
      }
    >
      <p>
        Reports and receipts of old purchases lie in an archive, which does not answer right now. Nothing is lost. The
        amounts stand in the statement of the month all the same, under{' '}
        <a href="/purchases" className="link">
          Purchases
        </a>
        .
      </p>
    </DeadEnd>
  );
}
