/** Sent with every answer, page or not. */
export const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not `no-referrer`: that makes browsers send `Origin: null` with our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
} as const;

/** For answers that are no pages: opened as a document they load and run nothing. */
export const dataHeaders = {
  ...commonHeaders,
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

/**
 * For the code of the page that verifies purchases. Schemas are compiled there; nothing is fetched, so that what a reader
 * verifies can go nowhere.
 */
export const verifierHeaders = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self' 'unsafe-eval'; worker-src 'self'",
} as const;

/** For public answers: other origins may read them, with their useful headers (Fetch standard). */
export const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Request-Id',
} as const;

/**
 * The policy of a page. Nothing runs but scripts that carry the nonce and what those load.
 *
 * @param nonce fresh for every response, at least 128 random bits
 * @param isDevelopment React rebuilds server stacks with `eval` and styles are injected while developing
 * @param formsLeadTo origins besides our own that the answer to a form may lead to
 */
export function pagePolicy(nonce: string, isDevelopment: boolean, formsLeadTo: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    isDevelopment ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    ["form-action 'self'", ...formsLeadTo].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The card provider's hosted pages. */
const hostedCheckout = 'https://checkout.stripe.com';

/** Where a page's forms may lead: from the payment page to the card provider, from others nowhere. */
export function formsLeadTo(path: string, { STRIPE_API_URL: standIn }: Record<string, string | undefined>): string[] {
  if (!path.startsWith('/pay/')) return [];
  return [standIn && URL.canParse(standIn) ? new URL(standIn).origin : hostedCheckout];
}
