import { Instant } from '@/components/ui/Instant.tsx';
import { RuledSection } from '@/components/ui/RuledSection.tsx';
import type { ContestedPayments } from '@/server/purchases/payment-contract.ts';

type Payment = ContestedPayments['payments'][number];

const words: Record<Payment['cause'], string> = {
  card_dispute: 'Its bank contests it.',
  payment_reversed: 'It was taken back.',
  card_reported: 'Its bank reports it as fraud.',
  blocked_card: 'Its card is blocked here.',
};

/** The payments that block an account, with one button to disown those that no member made. Works without scripts. */
export function ContestedPaymentList({
  payments,
  links_closed_at: closed,
  mayDisown,
}: ContestedPayments & { mayDisown: boolean }) {
  const strangers = payments.filter(({ can_disown }) => can_disown);
  if (payments.length === 0 && closed === null) return null;
  return (
    <RuledSection id="contested" title="Contested payments">
      {payments.length === 0 ? null : (
        <ul>
          {payments.map((payment) => (
            <li key={`${payment.payment_key} ${payment.cause}`} className="border-b border-line py-3">
              <p>
                The payment for{' '}
                <a href={`/reports/${payment.job_key}`} className="link">
                  a check
                </a>
                . {words[payment.cause]}
              </p>
              <p className="text-dense text-ink-3">
                Since <Instant at={payment.since} />
                {payment.can_disown ? '. Nobody was signed in when it was made' : ''}
              </p>
            </li>
          ))}
        </ul>
      )}
      {strangers.length === 0 || !mayDisown ? null : (
        <form action="/account/disown" method="post" className="pt-3">
          <p className="text-ink-2">
            If nobody on your account paid, say so. Your agents can then buy again, the card stays blocked, and from
            then on only signed-in members can pay by card on your payment links. That stays so.
          </p>
          <button type="submit" className="btn mt-3">
            {strangers.length === 1 ? 'Not our payment' : `Not our ${strangers.length} payments`}
          </button>
        </form>
      )}
      {closed === null ? null : (
        <p className="pt-3 text-ink-2">
          Since <Instant at={closed} /> only signed-in members can pay by card on your payment links.
        </p>
      )}
    </RuledSection>
  );
}
