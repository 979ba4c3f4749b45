// Longer than 300 lines: one table, the catalogue of everything that can be refused.
import { codeTries, lasting } from '../service/terms.ts';

/**
 * The catalogue of all refusals (RFC 9457). `title` names the condition, `next` tells an agent what to
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
      'This operation may move money or start work, so it needs a key that makes repeating it safe. The request had none.',
  },
  idempotency_key_mismatch: {
    status: 400,
    retryable: false,
    title: 'Header and body carry different idempotency keys',
    next: 'Send the key once, or the same key in both places.',
    meaning:
      'The key in the header and the key in the body differ, so it is unclear which request this is. Neither was used.',
  },
  credential_in_url: {
    status: 400,
    retryable: false,
    title: 'A credential was sent in the address',
    next: 'Send it in the Authorization header. Rotate it now: URLs end up in logs.',
    meaning:
      'The URL contained a credential of this service. URLs end up in logs and histories, so the request was refused before anything was looked up.',
  },
  invalid_token: {
    status: 401,
    retryable: false,
    title: 'The credential is missing, unknown or has ended',
    next: 'Send Authorization: Bearer with a valid credential. A wallet signs in again; an agent claims or rotates its credential.',
    meaning:
      'The credential is missing, mistyped, revoked or expired. Your purchases are safe and look the same after you sign in again.',
  },
  signature_invalid: {
    status: 401,
    retryable: false,
    title: 'The wallet signature does not match the challenge',
    next: 'Sign the exact message of a fresh challenge with the key of the address it names.',
    meaning:
      'The signature was made with another key, or over something other than the challenge’s message. A challenge works once, and this one is used up.',
  },
  grant_scope_missing: {
    status: 403,
    retryable: false,
    title: 'The grant does not cover this',
    next: 'Ask the customer to widen the grant, or use what it covers. GET /api/agent/v1/me shows it.',
    meaning:
      'The customer’s grant does not include this service, way to pay or action, or the agent is paused. Nothing was bought.',
  },
  grant_limit_exceeded: {
    status: 403,
    retryable: false,
    title: 'A limit of the grant would be exceeded',
    next:
      'Pay or cancel the jobs in next_actions. If the limit is daily, ask for a new quote after resets_at. A ' +
      'customer can raise the limits of an agent; those of a wallet are fixed.',
    meaning:
      'This purchase would exceed the agent’s limit per check, per UTC day or in total. A job frees its part of the limit when it is never paid, is paid from credit, or its money has gone back to the payer. Money that became wallet credit keeps its part, and that credit can pay for a job that finds no room.',
  },
  role_missing: {
    status: 403,
    retryable: false,
    title: 'Your role on the account does not cover this',
    next: 'Ask an owner of the account to do it, or to change your role.',
    meaning:
      'Members of an account have roles. Owners do all; approvers approve purchases, review reports and pause agents; readers read. Nothing changed.',
  },
  approval_required: {
    status: 403,
    retryable: false,
    title: 'A person must approve this purchase first',
    next: 'Give your customer the page in next_actions. Read the purchase until it is approved, then authorize it again.',
    meaning:
      'The customer wants to decide about purchases like this one: it costs more than the agent may spend alone, or a limit is in the way. The customer was asked, by letter and on a page. Nothing is reserved. An approval counts for this quote alone, once, until the quote ends; an agent has one open question at a time.',
  },
  approval_declined: {
    status: 403,
    retryable: false,
    title: 'The customer declined this purchase',
    next: 'Do not buy it. Ask the customer before you ask for another quote.',
    meaning:
      'A member of the account said no to this quote, and that stands for as long as the quote. Nothing was bought or reserved.',
  },
  purchases_blocked: {
    status: 403,
    retryable: false,
    title: 'New purchases are blocked',
    next: 'Ask the customer to settle it with the service. Reports and receipts stay readable.',
    meaning:
      'A payment of this account, or of the card or address that would pay, was disputed, reported as fraud or reversed, or too many disputed reports had their charge waived. Until that is settled, nothing new can be bought. Paid jobs continue.',
  },
  producer_may_not_accept: {
    status: 403,
    retryable: false,
    title: 'The producer of the work may not accept the report on it',
    next: 'Have the customer or another of its agents review the report.',
    meaning:
      'The check request names this caller as the producer of the work. The producer cannot accept the report on it.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'There is nothing here for this caller',
    next: 'Check the key. The keys of other principals get the same answer.',
    meaning:
      'There is no such record, or it belongs to somebody else. Both get the same answer, so keys cannot be guessed.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'This address does not take that method',
    next: 'Use the method given in the OpenAPI document.',
    meaning: 'The address exists, but not for this method.',
  },
  idempotency_key_conflict: {
    status: 409,
    retryable: false,
    title: 'The idempotency key was used with another body',
    next: 'Repeat the saved request unchanged, or choose a new key for a new request, such as a payment on another chain.',
    meaning: 'The key was already used with another body. The first request stands; this one did nothing.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'The first request with this key is still running',
    next: 'Repeat the same request after Retry-After.',
    meaning: 'The same request is still running. This one will get the same answer.',
  },
  fresh_sign_in_required: {
    status: 403,
    retryable: false,
    title: 'This needs a fresh sign-in',
    next: `Sign in again and repeat it within ${lasting('freshSignIn')}.`,
    meaning:
      'Giving an agent more power needs a fresh sign-in: approving it, raising a limit, resuming it or letting it fetch a credential. So does moving money as an operator. Taking power away works at any time. Nothing changed.',
  },
  registration_declined: {
    status: 403,
    retryable: false,
    title: 'The customer declined the registration',
    next: 'Stop here, and ask the customer before registering again.',
    meaning:
      'The person at the address, or a member of the account, declined. No account was made for this agent, and it gets no credential.',
  },
  action_not_allowed: {
    status: 409,
    retryable: false,
    title: 'The action is not allowed in this state',
    next: 'Take one of next_actions instead.',
    meaning:
      'This is not possible in the current state of the purchase, such as paying twice or reviewing before delivery. Nothing changed.',
  },
  quote_expired: {
    status: 409,
    retryable: false,
    title: 'The quote has expired',
    next: 'Ask for a new quote.',
    meaning: `A quote is valid for ${lasting('quoteLifetime')}, which have passed. Nothing was collected.`,
  },
  report_not_ready: {
    status: 409,
    retryable: true,
    title: 'There is no report yet',
    next: 'Read the job until it is delivered.',
    meaning: `The check has not been delivered yet. A report usually takes less than ${lasting('deliveryTarget')}, and at most ${lasting('executionDeadline')}.`,
  },
  payment_unknown: {
    status: 409,
    retryable: true,
    title: 'It is not known yet whether a payment went through',
    next: 'Do not pay again. Repeat the same request after Retry-After; the outcome is being looked up.',
    meaning:
      'A payment was sent and its outcome is not known yet. A second payment is blocked until it is. Money that arrives too late to be used is returned automatically.',
  },
  payment_already_used: {
    status: 409,
    retryable: false,
    title: 'This payment signature belongs to another job',
    next: 'Sign a separate payment for each job.',
    meaning:
      'One signature pays for one job. This one was already presented for another job and was not collected again.',
  },
  report_changed: {
    status: 409,
    retryable: false,
    title: 'The digest is not that of the newest report',
    next: 'Read the report again and review it by its digest.',
    meaning:
      'The digest is not that of the newest report. A re-check has delivered another report since, or no report of this job ever had this digest. To accept a report, send its digest.',
  },
  dispute_window_closed: {
    status: 409,
    retryable: false,
    title: 'The review window has passed',
    next: 'Accept the report, or leave the review to the service. Nothing is charged by silence.',
    meaning: `A report can be disputed for ${lasting('reviewWindow')} after delivery, which have passed. The money stays held. The report can still be accepted; silence never accepts it.`,
  },
  terms_version_mismatch: {
    status: 409,
    retryable: false,
    title: 'These are other terms',
    next: 'Send the terms_version of the quote. A registration sends that of the service contract.',
    meaning:
      'A quote is authorized under the terms it was made with, and a registration under those in force. The request names others. Nothing was reserved.',
  },
  source_unavailable: {
    status: 409,
    retryable: false,
    title: 'A governed source is not there to be retrieved',
    next: 'Name only refs that GET /api/agent/v1/sources lists, or ask the customer to add the document.',
    meaning:
      'The check names a governed document that this account does not have, or no longer has. Nothing was quoted or paid.',
  },
  source_limit_reached: {
    status: 409,
    retryable: false,
    title: 'The account holds as many governed sources as it may',
    next: 'Remove one you no longer need, then add this one.',
    meaning: 'The account has reached its limit of governed documents. The new one was not added.',
  },
  source_name_taken: {
    status: 409,
    retryable: false,
    title: 'Another governed source of the account has this name',
    next: 'Remove that one first, or choose another name.',
    meaning: 'Reports name their sources, so each name belongs to one document. The existing one was not changed.',
  },
  challenge_expired: {
    status: 410,
    retryable: false,
    title: 'The challenge has expired or was used',
    next: 'Ask for a fresh challenge.',
    meaning: `A challenge lasts ${lasting('challengeLifetime')} and works once. This one has expired or was used.`,
  },
  registration_expired: {
    status: 410,
    retryable: false,
    title: 'The registration has expired',
    next: 'Register again.',
    meaning: `A registration expires after ${lasting('registration')} unless somebody confirms it. Once it is confirmed, the credential can be fetched for ${lasting('claimWindow')}. Without a confirmation no account is made.`,
  },
  credential_already_released: {
    status: 410,
    retryable: false,
    title: 'The secret was handed out before, and is handed out once',
    next: 'Use the secret from the first answer. If you lost it, rotate, ask the customer to release again, or register again.',
    meaning: `A secret is sent only once, and it was sent. Repeating the request does not send it again. A credential not used within ${lasting('credentialFirstUse')} is revoked.`,
  },
  input_too_large: {
    status: 413,
    retryable: false,
    title: 'The input is too large',
    next: 'Shorten the input. The service contract lists the bounds.',
    meaning:
      'The request is larger than allowed. The service contract lists the bounds for each field and for the whole request. Nothing was stored.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The body is not plain JSON',
    next: 'Send content-type application/json without a content-encoding.',
    meaning: 'Only uncompressed JSON is accepted.',
  },
  validation_failed: {
    status: 422,
    retryable: false,
    title: 'A field breaks a rule',
    next: 'Fix the fields listed in errors.',
    meaning:
      'One or more fields are missing, unknown, of the wrong type or out of bounds. errors lists each with its JSON pointer.',
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
      'The service does not offer this kind: running code, confirming actions, certification, and legal, medical or financial opinions.',
  },
  card_declined: {
    status: 422,
    retryable: false,
    title: 'The bank of the card refused the charge',
    next: 'Use card_checkout with a new idempotency key and give its link to the payer, or pay another way.',
    meaning: 'decline_code gives the bank’s reason. Nothing was collected, and this attempt will never collect.',
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
    next: 'Ask the customer for the code in the letter while attempts_remaining is above 0. After that only the link works.',
    meaning: `The code is mistyped, belongs to another registration, or expired after ${lasting('registrationCode')}. You have ${codeTries} tries; attempts_remaining says how many are left. Another code may work, the same one will not. The link in the letter still works.`,
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    next: 'Wait for Retry-After.',
    meaning: 'This caller or address sent more requests than allowed. This one did nothing.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something broke on our side',
    next: 'Repeat the same request with the same idempotency key. If it keeps failing, report request_id.',
    meaning:
      'The fault is ours. Nothing acknowledged is lost, and repeating the request with its idempotency key does nothing twice.',
  },
  registrations_closed: {
    status: 503,
    retryable: false,
    title: 'Nobody can register right now',
    next: 'Sign in with a wallet, or ask whoever runs the service when it opens.',
    meaning: 'New agents cannot register at the moment. Registered agents can continue, and wallets can sign in.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: 'This cannot be done, or not over this rail, right now',
    next: 'Read reasons. If retryable is true, try again after Retry-After; otherwise use another rail that the quote lists.',
    meaning:
      'No check can be sold now, or not over the requested rail: it is not offered or not answering, no assessor is set up, or the service is off. Reports and receipts stay readable. Or the archive or database with what was asked for does not answer; nothing is lost. `reasons` says which.',
  },
} as const satisfies Record<
  string,
  { status: number; retryable: boolean; title: string; next: string; meaning: string }
>;

export type ProblemCode = keyof typeof problems;
