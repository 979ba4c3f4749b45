import { Lock } from 'lucide-react';
import { EmailForm } from '@/components/forms/EmailForm.tsx';
import { WalletInstead } from '@/components/forms/WalletInstead.tsx';
import { DeadEnd } from '@/components/ui/DeadEnd.tsx';

interface Props {
  /** "read this report", "connect an agent". */
  to: string;
  /** This page with its query: the sign-in leads back to it. */
  next: string;
}

/** Shown instead of a page for members. */
export function SignInNeeded({ to, next }: Props) {
  return (
    <DeadEnd icon={Lock} title={`Sign in to ${to}`} next={<EmailForm next={next} />}>
      <p>Only members of the account can do that. The link we send you leads back to this page.</p>
      <WalletInstead next={next} />
    </DeadEnd>
  );
}
