import { UserLock } from 'lucide-react';
import { DeadEnd } from './DeadEnd.tsx';

/** For a page that only asks for an act which the visitor's role does not cover. */
export function NotYours({ act, back }: { act: string; back: { href: string; label: string } }) {
  return (
    <DeadEnd
      icon={UserLock}
      title="An owner has to do this"
      next={
        <a href={back.href} className="btn">
          {back.label}
        </a>
      }
    >
      <p>
        Your role on this account does not cover {act}. The{' '}
        <a href="/account" className="link">
          account page
        </a>{' '}
        says who its owners are.
      </p>
    </DeadEnd>
  );
}
