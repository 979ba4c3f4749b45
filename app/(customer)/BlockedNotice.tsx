import { Lock } from 'lucide-react';
import { memberContext } from './member.ts';
import { readForMember } from './read.ts';

/** Says that a block keeps the account from buying, and leads to what to do about it; nothing while none does. */
export async function BlockedNotice() {
  const { ctx, email } = await memberContext();
  const member = email === null ? null : await readForMember('member', ctx, {});
  const [first] = member?.blocks ?? [];
  if (first === undefined) return null;
  return (
    <p className="notice tone-attention mt-6">
      <Lock className="icon" />
      <span>
        <strong className="font-medium">Your agents can buy nothing new for now.</strong> {first.why}{' '}
        <a href="/account#blocked" className="link inline-flex min-h-6 items-center">
          What to do
        </a>
      </span>
    </p>
  );
}
