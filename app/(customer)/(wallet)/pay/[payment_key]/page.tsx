import type { Metadata } from 'next';
import { PayLink } from '@/components/purchases/PayLink.tsx';
import { PaymentFate } from '@/components/purchases/PaymentFate.tsx';
import { refusalWords } from '@/components/purchases/pay-words.ts';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { Missing, show } from '../../../../show.tsx';
import { memberContext } from '../../../member.ts';
import { noticeAt } from '../../../notice.ts';

export const metadata: Metadata = { title: 'Pay', referrer: 'no-referrer' };

/**
 * The page of a payment link: what it asks for and its state, for anyone with the link. The provider also leads back
 * here. It shows the service's records and reads only the key from the address.
 */
export default show(async ({ params }: { params: Promise<{ payment_key: string }> }) => {
  const { payment_key } = await params;
  const { ctx, email } = await memberContext();
  const payment = await perform('payment_page', ctx, { payment_key }).then(
    ({ body }) => body,
    (error) => {
      if (error instanceof Problem && ['not_found', 'validation_failed'].includes(error.code)) throw new Missing();
      throw error;
    },
  );
  if (payment.state !== 'open') return <PaymentFate payment={payment} state={payment.state} />;
  const refused = await noticeAt(`/pay/${payment_key}`);
  return <PayLink payment={payment} isMember={email !== null} problem={refused && refusalWords(refused)} />;
});
