import { Notice } from '@/components/ui/Notice.tsx';
import { noticeAt } from '../(customer)/notice.ts';

const refusals: Record<string, string> = {
  action_not_allowed: 'Nothing was done: that is not possible as things stand now.',
  payment_unknown: 'Nothing was done: a payment is open.',
  not_found: 'Nothing was done: it is not there any more, or your role does not allow it.',
  validation_failed: 'Nothing was done: the reason is missing or too long.',
};

/** What a form of the console has just done, once. */
export async function Told({ page, done }: { page: string; done: string }) {
  const code = await noticeAt(page);
  if (code === null) return null;
  return (
    <div className="mb-5">
      <Notice tone={code === 'done' ? 'settled' : 'attention'}>
        {code === 'done' ? done : (refusals[code] ?? 'Nothing was done. Try again.')}
      </Notice>
    </div>
  );
}
