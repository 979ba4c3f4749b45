/**
 * What the stand-in for Stripe accepts. Public and worthless, with the prefixes that the real ones have: the service
 * reads its mode from them, and production can refuse these by name.
 */
export const SANDBOX_SECRET_KEY = 'sk_test_localSandboxOnly';
/** May only do what a card rail does; see `RESTRICTED_RESOURCES`. */
export const SANDBOX_RESTRICTED_KEY = 'rk_test_localSandboxOnly';
export const SANDBOX_WEBHOOK_SECRET = 'whsec_localSandboxOnly';

/** The resources that the restricted key may use; everything else answers 403. */
export const RESTRICTED_RESOURCES: readonly string[] = [
  'customers',
  'checkout.sessions',
  'payment_intents',
  'payment_methods',
  'refunds',
  'charges',
  'disputes',
  'events',
];
