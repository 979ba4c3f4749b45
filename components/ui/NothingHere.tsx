import { FileSearch } from 'lucide-react';
import { DeadEnd } from './DeadEnd.tsx';

/** The same page for a missing record and for another account's. */
export function NothingHere() {
  return (
    <DeadEnd
      icon={FileSearch}
      title="Nothing here"
      next={
        <a href="/" className="btn">
          Go to the front page
        </a>
      }
    >
      <p>The page does not exist, or belongs to another account.</p>
    </DeadEnd>
  );
}
