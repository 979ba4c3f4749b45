// Longer than 300 lines: one table, the catalogue of everything that can be refused.
import { codeTries, lasting } from './service/terms.ts';

/**
 * Everything that can be refused, as a catalogue (RFC 9457). `title` names the condition, `next` tells an agent what to
 * do. Each code has a page at `/problems/{code}`, where `meaning` explains it for the work, the money and the agent.
 * Specification 12.
 */
export const problems = {
  malformed_request: {
    status: 400,
    retryable: false,
    title: 'The request is not well-formed',
    next: 'Send one JSON object as UTF-8 with content-type application/json.',
    meaning: 'The body could not be read as one JSON object. Nothing was stored, and nothing was bought.',
  },
  idempotency_key_required: {
    status: 400,
    retryable: false,
    title: 'This operation needs an idempotency key',
    next: 'Choose a key, save it with the request, and send it as idempotency_key in the body or as the Idempotency-Key header.',
    meaning:
      'This operation may move money or start work, so it is only done under a key that makes a repeat safe. The request carried none.',
  },
  idempotency_key_mismatch: {
    status: 400,
    retryable: false,
    title: 'Header and body carry different idempotency keys',
    next: 'Send the key once, or the same key in both places.',
    meaning:
      'The key in the header and the key in the body differ, so it is not clear which request this is. Neither was used.',
  },
  credential_in_url: {
    status: 400,
    retryable: false,
    title: 'A credential was sent in the address',
    next: 'Send it in the Authorization header. Rotate it now: addresses are logged along the way.',
    meaning:
      'A credential of this service stood in the address. Addresses end up in logs and histories, so the request was refused before anything was looked up.',
  },
  invalid_token: {
    status: 401,
    retryable: false,
    title: 'The credential is missing, unknown or has ended',
    next: 'Send Authorization: Bearer with a valid credential. A wallet signs in again; an agent claims or rotates its credential.',
    meaning:
      'Nobody is known by what was sent: no credential, a mistyped one, or one that was revoked or has run out. What was bought before is safe and reads the same after signing in again.',
  },
  signature_invalid: {
    status: 401,
    retryable: false,
    title: 'The wallet signature does not match the challenge',
    next: 'Sign the exact message of a fresh challenge with the key of the address it names.',
    meaning:
      'The signature was made by another key, or over other bytes than the message of the challenge. A challenge works once: this one is spent.',
  },
  grant_scope_missing: {
    status: 403,
    retryable: false,
    title: 'The grant does not cover this',
    next: 'Ask the customer to widen the grant, or use what it covers. GET /api/agent/v1/me shows it.',
    meaning:
      'The customer’s grant leaves this service, this way to pay or this act out, or the agent is paused. Nothing was bought.',
  },
  grant_limit_exceeded: {
    status: 403,
    retryable: false,
    title: 'A limit of the grant would be exceeded',
    next:
      'Pay or cancel the jobs that next_actions names. After resets_at, where the limit is daily, ask for a new quote. A ' +
      'customer can raise the limits of an agent; those of a wallet are fixed.',
    meaning:
      'With this purchase the agent would pass what one check, one UTC day or all checks together may cost. A job gives its part back when it is never paid, when it is paid from credit, or when its money has gone back to the payer. Money that became wallet credit keeps its part, and that credit can pay for a job that finds no room.',
  },
  purchases_blocked: {
    status: 403,
    retryable: false,
    title: 'New purchases are blocked',
    next: 'Ask the customer to settle it with the service. Reports and receipts stay readable.',
    meaning:
      'A payment of this account was disputed or reversed, or too many of its disputed reports had their charge waived. Until an operator lifts the block nothing new can be bought; jobs that are already paid go on.',
  },
  producer_may_not_accept: {
    status: 403,
    retryable: false,
    title: 'The producer of the work may not accept the report on it',
    next: 'Let the customer or another of its agents review the report.',
    meaning:
      'The check request names this caller as the maker of the work. Whoever made the work cannot accept the assessment of it.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'There is nothing here for this caller',
    next: 'Check the key. Keys of other principals answer the same way.',
    meaning:
      'There is no such record, or it belongs to somebody else. Both answer with the same bytes, so a key cannot be guessed.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'This address does not take that method',
    next: 'Use the method that the OpenAPI document names.',
    meaning: 'The address exists, but not for this method.',
  },
  idempotency_key_conflict: {
    status: 409,
    retryable: false,
    title: 'The idempotency key was used with another body',
    next: 'Repeat the saved request unchanged, or choose a new key for a new request, such as a payment on another chain.',
    meaning: 'The key already belongs to a request with another body. The first request stands; this one did nothing.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'The first request with this key is still running',
    next: 'Repeat the same request after Retry-After.',
    meaning: 'The same request is being worked on right now. Its answer will be the answer to this one too.',
  },
  fresh_sign_in_required: {
    status: 403,
    retryable: false,
    title: 'This needs a fresh sign-in',
    next: `Sign in again and repeat it within ${lasting('freshSignIn')}.`,
    meaning:
      'A member wants to give an agent power: to approve it, raise a limit, let it go on or fetch a credential. Taking power away works at any time; giving it asks who is there, as moving money does of whoever runs the service. Nothing changed.',
  },
  registration_declined: {
    status: 403,
    retryable: false,
    title: 'The customer declined the registration',
    next: 'Stop here, and ask the customer before registering again.',
    meaning:
      'The person at the address, or a member of the account, said no. No account was made for this agent and it gets no credential.',
  },
  action_not_allowed: {
    status: 409,
    retryable: false,
    title: 'The action is not allowed in this state',
    next: 'Take one of next_actions instead.',
    meaning:
      'The purchase is in a state in which this cannot be done, such as paying twice or reviewing before delivery. Nothing changed.',
  },
  quote_expired: {
    status: 409,
    retryable: false,
    title: 'The quote has expired',
    next: 'Ask for a new quote.',
    meaning: `A quote keeps its price for ${lasting('quoteLifetime')}, and these have passed. Nothing was collected.`,
  },
  report_not_ready: {
    status: 409,
    retryable: true,
    title: 'There is no report yet',
    next: 'Read the job until it is delivered.',
    meaning: `The check has not been delivered yet. A report usually takes less than ${lasting('deliveryTarget')}, and ${lasting('executionDeadline')} at most.`,
  },
  payment_unknown: {
    status: 409,
    retryable: true,
    title: 'It is not known yet whether a payment went through',
    next: 'Do not pay again. Repeat the same request after Retry-After; the outcome is being looked up.',
    meaning:
      'A payment was sent on its way and its outcome has not come back. A second one is blocked until this one is known. Money that arrives too late to be used goes back by itself.',
  },
  payment_already_used: {
    status: 409,
    retryable: false,
    title: 'This payment signature belongs to another job',
    next: 'Sign a payment of its own for each job.',
    meaning:
      'One signature pays for one job. This one was presented for another job before, and was not collected again.',
  },
  report_changed: {
    status: 409,
    retryable: false,
    title: 'The digest is not that of the newest report',
    next: 'Read the report again and decide on it by its digest.',
    meaning:
      'The digest that was sent is not that of the newest report: a re-check has delivered another one since, or it was never the digest of a report of this job. Acceptance must name the report it accepts.',
  },
  dispute_window_closed: {
    status: 409,
    retryable: false,
    title: 'The review window has passed',
    next: 'Accept the report, or leave the review to the service. Nothing is charged by silence.',
    meaning: `A report can be disputed for ${lasting('reviewWindow')} after its delivery, and these have passed. The money stays held: the report can still be accepted, and silence never accepts it.`,
  },
  terms_version_mismatch: {
    status: 409,
    retryable: false,
    title: 'These are not the current terms',
    next: 'Read the current terms version in the service contract and send it.',
    meaning: 'The purchase was to be made under terms that are not in force. Nothing was reserved.',
  },
  source_unavailable: {
    status: 409,
    retryable: false,
    title: 'A governed source is not there to be retrieved',
    next: 'Name only refs that GET /api/agent/v1/sources lists, or ask the customer to add the document.',
    meaning:
      'The check names a governed document that this account does not hold, or no longer holds. No quote was made and nothing was bought.',
  },
  source_limit_reached: {
    status: 409,
    retryable: false,
    title: 'The account holds as many governed sources as it may',
    next: 'Remove one that is no longer needed, then add this one.',
    meaning: 'An account holds only so many governed documents, and these are all there. The new one was not added.',
  },
  source_name_taken: {
    status: 409,
    retryable: false,
    title: 'Another governed source of the account has this name',
    next: 'Remove that one first, or choose another name.',
    meaning:
      'A report names its sources, so one name stands for one document. The one that has the name stays as it is.',
  },
  challenge_expired: {
    status: 410,
    retryable: false,
    title: 'The challenge has expired or was used',
    next: 'Ask for a fresh challenge.',
    meaning: `A challenge lives for ${lasting('challengeLifetime')} and works once. This one has ended or has been used.`,
  },
  registration_expired: {
    status: 410,
    retryable: false,
    title: 'The registration has expired',
    next: 'Register again.',
    meaning: `A registration that nobody confirms ends after ${lasting('registration')}, and what was confirmed is handed out for ${lasting('claimWindow')} more. No account was made without a confirmation.`,
  },
  credential_already_released: {
    status: 410,
    retryable: false,
    title: 'The secret was handed out before, and is handed out once',
    next: 'Use what the first answer carried. If it is lost, rotate, ask the customer to release again, or register again.',
    meaning: `One answer carries a secret, and that answer was given. Who repeats the request is told so and gets nothing else. A credential that nobody uses within ${lasting('credentialFirstUse')} is revoked.`,
  },
  input_too_large: {
    status: 413,
    retryable: false,
    title: 'The input is too large',
    next: 'Shorten the input. The bounds stand in the service contract.',
    meaning:
      'The request is larger than what is read. The service contract says how much that is, for each field and for all of it. Nothing was stored.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The body is not plain JSON',
    next: 'Send content-type application/json without a content-encoding.',
    meaning: 'Only uncompressed JSON is read here.',
  },
  validation_failed: {
    status: 422,
    retryable: false,
    title: 'A field breaks a rule',
    next: 'Mend the fields that errors points at.',
    meaning:
      'One or more fields are missing, unknown, of the wrong type or out of bounds. Each is listed in errors with its JSON pointer.',
  },
  credential_in_input: {
    status: 422,
    retryable: false,
    title: 'The job input contains a credential of this service',
    next: 'Remove it, and rotate it now: job input is stored.',
    meaning:
      'Work, request, criteria or evidence contain what looks like a credential of this service. It was not stored.',
  },
  unsupported_work_kind: {
    status: 422,
    retryable: false,
    title: 'This kind of work is not checked here',
    next: 'Send a supported work_kind, or leave it out.',
    meaning:
      'The kind that was named is outside of what is offered: running code, confirming actions, certification, and legal, medical or financial opinions.',
  },
  card_declined: {
    status: 422,
    retryable: false,
    title: 'The bank of the card refused the charge',
    next: 'Ask for card_checkout, under a new idempotency key, and give its link to the payer; or pay another way.',
    meaning: 'decline_code says what the bank said. Nothing was collected, and this attempt will never collect.',
  },
  price_above_max: {
    status: 422,
    retryable: false,
    title: 'The price is above the ceiling that the buyer set',
    next: 'Raise max_price_microcents to the price in the service contract, or do not buy.',
    meaning: 'The buyer’s own ceiling is lower than the price, so no quote was made.',
  },
  contract_wallet_unsupported: {
    status: 422,
    retryable: false,
    title: 'Contract wallets cannot sign in',
    next: 'Sign in with an externally owned account.',
    meaning: 'The address belongs to a contract. Only wallets that sign with their own key can sign in.',
  },
  code_invalid: {
    status: 422,
    retryable: false,
    title: 'This is not the code of the registration',
    next: 'Ask the customer for the code in the letter while attempts_remaining is above 0; after that only the link confirms.',
    meaning: `The code belongs to another registration, has run out after ${lasting('registrationCode')}, or is mistyped. ${codeTries} tries are looked at, and attempts_remaining says how many are left: another code may succeed, the same one will not; the link in the letter goes on working.`,
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    next: 'Wait for Retry-After.',
    meaning: 'More requests came in than this caller or address may send. Nothing was done with this one.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something broke on our side',
    next: 'Repeat the same request with the same idempotency key. Quote request_id if it stays.',
    meaning:
      'The fault is ours. Nothing that was acknowledged is lost, and repeating the request with its idempotency key cannot do anything twice.',
  },
  registrations_closed: {
    status: 503,
    retryable: false,
    title: 'Nobody can register right now',
    next: 'Sign in with a wallet, or ask whoever runs the service when it opens.',
    meaning: 'New agents cannot be registered at the moment. Who is registered can go on, and wallets can sign in.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: 'This cannot be sold, or not over this rail, right now',
    next: 'Read reasons. Where retryable is true, try again after Retry-After; else use another rail that the quote lists.',
    meaning:
      'No check can be sold at the moment, or not over the rail that was asked for: it is not offered here or does not answer, no assessor is set up, or the service is switched off. `reasons` says which. Reports and receipts stay readable.',
  },
} as const satisfies Record<
  string,
  { status: number; retryable: boolean; title: string; next: string; meaning: string }
>;

export type ProblemCode = keyof typeof problems;
