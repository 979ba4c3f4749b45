import { BRAND } from '../http.ts';
import { StripeFault } from './errors.ts';
import { RESTRICTED_RESOURCES, SANDBOX_RESTRICTED_KEY, SANDBOX_SECRET_KEY } from './keys.ts';

const SHOWN_DIGITS = 4;

/** Accepts the sandbox's own keys. Throws 401 for any other, above all a live one; 403 beyond a restricted key. */
export function authenticate(authorization: string | undefined, endpointName: string): void {
  const key = keyOf(authorization);
  if (key === '') {
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  }
  if (/^(sk|rk|pk)_live_/.test(key)) {
    throw unauthorized(`${BRAND} refuses live keys. Revoke this one: it was sent to a machine that is not Stripe's.`);
  }
  if (key.startsWith('pk_')) {
    throw unauthorized(
      'This API call cannot be made with a publishable API key. Please use a secret API key.',
      'secret_key_required',
    );
  }
  if (key === SANDBOX_SECRET_KEY) return;
  if (key !== SANDBOX_RESTRICTED_KEY) throw unauthorized(`Invalid API Key provided: ${masked(key)}`);
  if (RESTRICTED_RESOURCES.some((resource) => endpointName.startsWith(`${resource}.`))) return;
  const message = `The provided key '${masked(key)}' does not have the required permissions for this endpoint.`;
  throw new StripeFault(403, { type: 'invalid_request_error', message }, { begun: false });
}

/** From `Bearer KEY`, or from the user name of Basic. */
function keyOf(authorization = ''): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? '';
}

function masked(key: string): string {
  const prefix = /^[a-z]+_[a-z]+_/.exec(key)?.[0] ?? '';
  return `${prefix}********${key.slice(prefix.length).slice(-SHOWN_DIGITS)}`;
}

function unauthorized(message: string, code?: string): StripeFault {
  const body = { type: 'invalid_request_error', message, ...(code ? { code } : {}) } as const;
  return new StripeFault(401, body, { begun: false });
}
