/** What a test card does, after https://docs.stripe.com/testing. */
export interface TestCard {
  readonly brand: 'visa' | 'mastercard' | 'amex';
  /** The bank refuses every charge, or only those of a card that a customer holds. */
  readonly decline?: {
    readonly code: string;
    readonly decline_code?: string;
    readonly message: string;
    readonly onlyHeld?: true;
  };
  /**
   * The holder must authenticate each payment, or only until the card is set up for off-session payments, or only where the
   * seller asks for it.
   */
  readonly authentication?: 'always' | 'unless_set_up' | 'if_asked';
  /** The charge succeeds and is disputed soon after. */
  readonly dispute?: { readonly reason: string; readonly inquiry?: true };
  /** The charge succeeds, and its bank warns of fraud soon after. */
  readonly warning?: true;
  /** A refund is pending for a while, or succeeds and fails later. */
  readonly refund?: 'pending' | 'fails_later';
}

const SUCCESS: TestCard = { brand: 'visa' };
const declined = (decline_code: string, message = 'Your card was declined.') => ({
  brand: 'visa' as const,
  decline: { code: 'card_declined', decline_code, message },
});
const INSUFFICIENT = declined('insufficient_funds', 'Your card has insufficient funds.');

const CARDS: Readonly<Record<string, TestCard>> = {
  '4242424242424242': SUCCESS,
  '5555555555554444': { brand: 'mastercard' },
  '378282246310005': { brand: 'amex' },
  '4000000000000002': declined('generic_decline'),
  '4000000000009995': INSUFFICIENT,
  '4000000000009987': declined('lost_card'),
  '4000000000009979': declined('stolen_card'),
  '4000000000000069': {
    brand: 'visa',
    decline: { code: 'expired_card', decline_code: 'expired_card', message: 'Your card has expired.' },
  },
  '4000000000000127': {
    brand: 'visa',
    decline: {
      code: 'incorrect_cvc',
      decline_code: 'incorrect_cvc',
      message: "Your card's security code is incorrect.",
    },
  },
  '4000000000000119': {
    brand: 'visa',
    decline: {
      code: 'processing_error',
      decline_code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  },
  '4000000000000341': { brand: 'visa', decline: { ...declined('generic_decline').decline, onlyHeld: true } },
  // Not a card of Stripe's: its bank says that it is lost once a customer holds it.
  '4000000000000358': { brand: 'visa', decline: { ...declined('lost_card').decline, onlyHeld: true } },
  '4000002500003155': { brand: 'visa', authentication: 'unless_set_up' },
  '4000002760003184': { brand: 'visa', authentication: 'always' },
  '4000000000003055': { brand: 'visa', authentication: 'if_asked' },
  '4000008260003178': { ...INSUFFICIENT, authentication: 'always' },
  '4000000000000259': { brand: 'visa', dispute: { reason: 'fraudulent' } },
  '4000000000002685': { brand: 'visa', dispute: { reason: 'product_not_received' } },
  '4000000000001976': { brand: 'visa', dispute: { reason: 'fraudulent', inquiry: true } },
  '4000000000005423': { brand: 'visa', warning: true },
  '4000000000007726': { brand: 'visa', refund: 'pending' },
  '4000000000005126': { brand: 'visa', refund: 'fails_later' },
};

/** Ready-made payment methods that an API call may name. */
const TOKENS: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_authenticationRequiredOnSetup: '4000002500003155',
  pm_card_createDispute: '4000000000000259',
  pm_card_createDisputeInquiry: '4000000000001976',
  pm_card_createIssuerFraudRecord: '4000000000005423',
  pm_card_pendingRefund: '4000000000007726',
  pm_card_refundFail: '4000000000005126',
};

/** Not cards of Stripe's, as many as a trial needs: good ones, and those whose banks refuse them once a customer holds them. */
const GOOD = /^42424200\d{8}$/;
const FICKLE = /^40000034\d{8}$/;

/** The card of a number; unknown numbers are declined, as in Stripe's test mode. */
export function cardOf(number: string): TestCard {
  return (
    CARDS[number] ??
    (GOOD.test(number) ? CARDS['4242424242424242'] : undefined) ??
    (FICKLE.test(number) ? CARDS['4000000000000341'] : undefined) ??
    declined('test_mode_live_card', 'Your card was declined. Your request was in test mode, but used a non test card.')
  );
}

/** The number behind a ready-made payment method. */
export function numberOfToken(token: string): string | undefined {
  return Object.hasOwn(TOKENS, token) ? TOKENS[token] : undefined;
}

/** Whether the check digit is right (ISO/IEC 7812-1, annex B). */
export function isCardNumber(number: string): boolean {
  if (!/^\d{14,16}$/.test(number)) return false;
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
