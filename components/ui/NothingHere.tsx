import { FileSearch } from 'lucide-react';
import { DeadEnd } from './DeadEnd.tsx';

/** The same for what does not exist and for what belongs to another account. */
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
