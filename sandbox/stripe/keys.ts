/**
 * The keys of the stand-in for Stripe. Public and worthless, with the real prefixes: the service reads its mode from
 * them, and production can refuse these by name.
 */
export const SANDBOX_SECRET_KEY = 'sk_test_localSandboxOnly';
/** Limited to what a card rail needs; see `RESTRICTED_RESOURCES`. */
export const SANDBOX_RESTRICTED_KEY = 'rk_test_localSandboxOnly';
export const SANDBOX_WEBHOOK_SECRET = 'whsec_localSandboxOnly';

/** The resources of the restricted key; all others answer 403. */
export const RESTRICTED_RESOURCES: readonly string[] = [
  'customers',
  'checkout.sessions',
  'payment_intents',
  'payment_methods',
  'refunds',
  'charges',
  'disputes',
  'radar.early_fraud_warnings',
  'events',
];
