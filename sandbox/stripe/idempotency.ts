// Idempotency keys as https://docs.stripe.com/api/idempotent_requests describes them.
import { StripeFault } from './errors.ts';
import type { Provider } from './provider.ts';
import type { SavedAnswer } from './records.ts';

const KEY_MAX = 255;
/** After a day a key is forgotten, and the same request is carried out again. */
const KEPT_SECONDS = 86_400;

/** The keys of one account. */
export interface Keys {
  /**
   * Claims a key for a request. Returns the earlier answer, or undefined for the first request. Throws 409 while that
   * one is running, 400 when path or parameters differ.
   */
  claim(key: string, path: string, fingerprint: string): SavedAnswer | undefined;
  keep(answer: Omit<SavedAnswer, 'at'>): void;
  /** Releases the key: the request was answered, or its connection is gone. */
  release(key: string): void;
}

export function openKeys({ store, clock }: Pick<Provider, 'store' | 'clock'>): Keys {
  const underWay = new Set<string>();

  return {
    claim(key, path, fingerprint) {
      if (key.length > KEY_MAX) throw idempotencyFault(400, `Idempotency keys may have at most ${KEY_MAX} characters.`);
      if (underWay.has(key)) throw inUse(key);
      const saved = store.get('answer', key);
      if (saved && saved.at + KEPT_SECONDS > clock.now()) {
        if (saved.path !== path) throw otherPath(key, path, saved.path);
        if (saved.fingerprint !== fingerprint) throw otherParameters(key);
        return saved;
      }
      if (saved) store.remove('answer', key);
      underWay.add(key);
      return undefined;
    },
    keep: (answer) => void store.put('answer', { ...answer, at: clock.now() }),
    release: (key) => void underWay.delete(key),
  };
}

/** The answer to a request whose key another one is using. */
export function inUse(key: string): StripeFault {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
  return idempotencyFault(409, message, 'idempotency_key_in_use');
}

function otherPath(key: string, path: string, before: string): StripeFault {
  const message = `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${before}'). Try using a key other than '${key}' if you meant to execute a different request.`;
  return idempotencyFault(400, message);
}

function otherParameters(key: string): StripeFault {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
  return idempotencyFault(400, message);
}

function idempotencyFault(status: number, message: string, code?: string): StripeFault {
  const body = { type: 'idempotency_error', message, ...(code ? { code } : {}) } as const;
  return new StripeFault(status, body, { begun: false });
}
