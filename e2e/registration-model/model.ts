import { seconds } from '../../server/service/terms.ts';

/** A credential as it must be. Instants are milliseconds of the service's clock. */
export interface Credential {
  readonly token: string;
  readonly key: string;
  readonly useBy: number;
  /** The older credential that ends a grace period after this one's first use. */
  readonly replaces: string | null;
  readonly graceMs: number;
  used: boolean;
  revoked: boolean;
  endsAt: number;
}

/** A registration and its agent. */
export interface Registration {
  readonly mode: 'new_customer' | 'link_existing';
  readonly key: string;
  readonly agentKey: string;
  readonly claimToken: string;
  readonly userCode: string;
  readonly askedAt: number;
  state: 'pending' | 'declined' | 'confirmed' | 'released';
  /** Whether a letter with the code was sent. */
  mailed: boolean;
  codeTries: number;
  /** Null until the customer confirms. */
  claimUntil: number | null;
  revoked: boolean;
  /** Oldest first. */
  credentials: Credential[];
}

/** One customer, who has an account after the first confirmation, and the agents that register for it. */
export interface Model {
  now: () => number;
  accountKey: string | null;
  registrations: Registration[];
}

const codeTriesMax = 5;
const ms = (count: number): number => count * 1000;

/** Whether the agent belongs, or belonged, to the account. */
export const isConnected = ({ state }: Registration): boolean => state === 'confirmed' || state === 'released';

export const hasExpired = (registration: Registration, now: number): boolean =>
  registration.askedAt + ms(seconds.registration) <= now;

/** Whether a request with this credential is accepted. */
export const isLive = (
  registration: Registration,
  { revoked, endsAt, used, useBy }: Credential,
  now: number,
): boolean => !registration.revoked && !revoked && endsAt > now && (used || useBy > now);

/** The required result of a code: confirmed, or the number of tries left. */
export function tryCode(model: Model, registration: Registration, isRight: boolean): 'yes' | number {
  if (registration.codeTries >= codeTriesMax) return 0;
  registration.codeTries += 1;
  const isOpen =
    registration.mode === 'new_customer' &&
    registration.mailed &&
    model.accountKey === null &&
    registration.askedAt + ms(seconds.registrationCode) > model.now();
  return isRight && isOpen ? 'yes' : codeTriesMax - registration.codeTries;
}

/** The customer confirms, by any means. */
export function confirmed(model: Model, registration: Registration): void {
  registration.state = 'confirmed';
  registration.claimUntil = model.now() + ms(seconds.claimWindow);
}

/** Issues a secret: one issued before and never used is void. */
export function handedOut(
  model: Model,
  registration: Registration,
  { credential, credential_key }: { credential: string; credential_key: string },
  replacing: { key: string; graceSeconds: number } | null,
): void {
  for (const earlier of registration.credentials) if (!earlier.used) earlier.revoked = true;
  registration.credentials.push({
    token: credential,
    key: credential_key,
    useBy: model.now() + ms(seconds.credentialFirstUse),
    replaces: replacing?.key ?? null,
    graceMs: ms(replacing?.graceSeconds ?? 0),
    used: false,
    revoked: false,
    endsAt: Number.POSITIVE_INFINITY,
  });
}

/** The agent claims with the customer's permission: its current credential ends when the new one is first used. */
export function released(
  model: Model,
  registration: Registration,
  secret: { credential: string; credential_key: string },
): void {
  const inUse = registration.credentials.findLast(
    ({ used, revoked, endsAt }) => used && !revoked && endsAt > model.now(),
  );
  handedOut(model, registration, secret, inUse ? { key: inUse.key, graceSeconds: 0 } : null);
  registration.state = 'released';
}

/** A request with this credential was accepted. */
export function used(model: Model, registration: Registration, credential: Credential): void {
  if (credential.used) return;
  credential.used = true;
  const replaced = registration.credentials.find(({ key }) => key === credential.replaces);
  if (replaced) replaced.endsAt = Math.min(replaced.endsAt, model.now() + credential.graceMs);
}
