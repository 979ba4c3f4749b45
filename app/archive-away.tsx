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
      title="This cannot be read right now"
      next={
        // biome-ignore lint/a11y/useValidAnchor: an empty address reloads this page, with or without scripts
        <a className="btn" href="">
          Try again
        </a>
      }
    >
      <p>
        It belongs to an old purchase, whose report and receipts lie in our archive, and the archive does not answer.
        Nothing is lost: try again in some minutes. The amounts stand in the statement of the month, under{' '}
        <a href="/purchases" className="link">
          Purchases
        </a>
        .
      </p>
    </DeadEnd>
  );
}
