/** The reasons that people ask about most (docs.stripe.com/declines/codes). */
const reasons: Record<string, string> = {
  insufficient_funds: 'there is not enough money on the card',
  card_declined: 'the bank gave no reason',
  generic_decline: 'the bank gave no reason',
  do_not_honor: 'the bank gave no reason',
  authentication_required: 'the holder has to confirm it with the bank',
  expired_card: 'the card has expired',
  incorrect_cvc: 'the security code is wrong',
  incorrect_number: 'the card number is wrong',
  lost_card: 'the card was reported lost',
  stolen_card: 'the card was reported stolen',
  fraudulent: 'Stripe suspects fraud',
  card_velocity_exceeded: 'the card’s limit is used up',
  card_not_supported: 'the card does not allow this kind of purchase',
  processing_error: 'the bank could not process it; another try may work',
  try_again_later: 'the bank could not process it; another try may work',
};

/** A decline code of the card provider in words. */
export function declineWords(code: string): string {
  return reasons[code] ?? code.replaceAll('_', ' ');
}

/** What a payer can do about it. */
export function declineAdvice(code: string): string {
  return advice[code] ?? 'Pay with another card, or ask the bank of this one.';
}

const again = 'Try again in some minutes, or pay with another card.';
const typed = 'Check what you typed, or pay with another card.';
const advice: Record<string, string> = {
  authentication_required: 'Try again, and confirm it where your bank asks you to.',
  expired_card: typed,
  incorrect_cvc: typed,
  incorrect_number: typed,
  processing_error: again,
  try_again_later: again,
};
