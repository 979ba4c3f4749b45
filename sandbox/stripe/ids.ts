import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTHS = { cs_test: 58, req: 14 } as const;
const LENGTH = 24;

type Prefix =
  | keyof typeof LENGTHS
  | 'cus'
  | 'pm'
  | 'pi'
  | 'ch'
  | 're'
  | 'du'
  | 'issfr'
  | 'txn'
  | 'po'
  | 'tu'
  | 'evt'
  | 'li'
  | 'price'
  | 'prod';

/** A new id as Stripe writes them, such as `pi_3kQ…`. */
export function newId(prefix: Prefix | 'due'): string {
  const length = prefix in LENGTHS ? LENGTHS[prefix as keyof typeof LENGTHS] : LENGTH;
  return `${prefix}_${Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}
