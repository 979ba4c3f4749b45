import { Notice } from '@/components/ui/Notice.tsx';
import { lasting } from '@/server/service/terms.ts';
import { noticeAt } from '../(customer)/notice.ts';

const refusals: Record<string, string> = {
  action_not_allowed: 'Nothing was done: this is not possible in the current state.',
  payment_unknown: 'Nothing was done: a payment is open.',
  not_found: 'Nothing was done: it no longer exists, or your role does not allow it.',
  validation_failed: 'Nothing was done: what was typed is missing something, or too long.',
  fresh_sign_in_required: `Nothing was done: to move money you must have signed in within the last ${lasting('freshSignIn')}.`,
};

/** The result of the console's last form, shown once. */
export async function Told({ page, done }: { page: string; done: string }) {
  const code = await noticeAt(page);
  if (code === null) return null;
  const [, leftOut] = /^left_out_(\d+)$/.exec(code) ?? [];
  const text = leftOut ? `Done, except for ${leftOut} that had changed in the meantime.` : refusals[code];
  return (
    <div className="mb-5">
      <Notice tone={code === 'done' ? 'settled' : 'attention'}>
        {code === 'done' ? done : (text ?? 'Nothing was done. Try again.')}{' '}
        {code === 'fresh_sign_in_required' ? (
          <a href={`/sign-in?${new URLSearchParams({ next: page })}`} className="link">
            Sign in again
          </a>
        ) : null}
      </Notice>
    </div>
  );
}
