import type { ProblemCode } from '@/server/kernel/problem.ts';

/** What each refusal means for the work, the money and the agent: the sentence a title has no room for. */
export const meanings: Record<ProblemCode, string> = {
  malformed_request: 'The body could not be read as one JSON object. Nothing was stored, and nothing was bought.',
  idempotency_key_required:
    'This operation may move money or start work, so it is only done under a key that makes a repeat safe. The request carried none.',
  idempotency_key_mismatch:
    'The key in the header and the key in the body differ, so it is not clear which request this is. Neither was used.',
  credential_in_url:
    'A credential of this service stood in the address. Addresses end up in logs and histories, so the request was refused before anything was looked up.',
  invalid_token:
    'Nobody is known by what was sent: no credential, a mistyped one, or one that was revoked or has run out. What was bought before is safe and reads the same after signing in again.',
  signature_invalid:
    'The signature was made by another key, or over other bytes than the message of the challenge. A challenge works once: this one is spent.',
  grant_scope_missing:
    'The customer’s grant leaves this service, this way to pay or this act out, or the agent is paused. Nothing was bought.',
  grant_limit_exceeded:
    'With this purchase the agent would pass what one check, one UTC day or all checks together may cost. A job gives its part back when it is never paid, when it is paid from credit, or when its money has gone back to the payer. Money that became wallet credit keeps its part, and that credit can pay for a job that finds no room.',
  purchases_blocked:
    'A payment of this account was disputed or reversed, or too many of its reports were disputed twice. Until an operator lifts the block nothing new can be bought; jobs that are already paid go on.',
  producer_may_not_accept:
    'The check request names this caller as the maker of the work. Whoever made the work cannot accept the assessment of it.',
  not_found:
    'There is no such record, or it belongs to somebody else. Both answer with the same bytes, so a key cannot be guessed.',
  method_not_allowed: 'The address exists, but not for this method.',
  idempotency_key_conflict:
    'The key already belongs to a request with another body. The first request stands; this one did nothing.',
  idempotency_in_progress:
    'The same request is being worked on right now. Its answer will be the answer to this one too.',
  fresh_sign_in_required:
    'A member wants to give an agent power: to approve it, raise a limit, let it go on or fetch a credential. Taking power away works at any time; giving it asks who is there. Nothing changed.',
  registration_declined:
    'The person at the address, or a member of the account, said no. No account was made for this agent and it gets no credential.',
  action_not_allowed:
    'The purchase is in a state in which this cannot be done, such as paying twice or reviewing before delivery. Nothing changed.',
  quote_expired: 'A quote keeps its price for 30 minutes, and these have passed. Nothing was collected.',
  report_not_ready:
    'The check has not been delivered yet. A report usually takes less than 10 minutes, and 30 at most.',
  payment_unknown:
    'A payment was sent on its way and its outcome has not come back. A second one is blocked until this one is known. Money that arrives too late to be used goes back by itself.',
  payment_already_used:
    'One signature pays for one job. This one was presented for another job before, and was not collected again.',
  report_changed:
    'The digest that was sent is not that of the newest report: a re-check has delivered another one since, or it was never the digest of a report of this job. Acceptance must name the report it accepts.',
  dispute_window_closed:
    'A report can be disputed for three days after its delivery, and these have passed. The money stays held: the report can still be accepted, and silence never accepts it.',
  terms_version_mismatch: 'The purchase was to be made under terms that are not in force. Nothing was reserved.',
  source_unavailable:
    'The check names a governed document that this account does not hold, or no longer holds. No quote was made and nothing was bought.',
  source_limit_reached:
    'An account holds up to 200 governed documents, and these are all there. The new one was not added.',
  source_name_taken:
    'A report names its sources, so one name stands for one document. The one that has the name stays as it is.',
  challenge_expired: 'A challenge lives for 5 minutes and works once. This one has ended or has been used.',
  registration_expired:
    'A registration that nobody confirms ends after 30 minutes, and what was confirmed is handed out for 30 minutes more. No account was made without a confirmation.',
  credential_already_released:
    'One answer carries a secret, and that answer was given. Who repeats the request is told so and gets nothing else. A credential that nobody uses within 15 minutes is revoked.',
  input_too_large:
    'The request is larger than what is read: 262,144 bytes for the input, 2 MiB for the body. Nothing was stored.',
  unsupported_media_type: 'Only uncompressed JSON is read here.',
  validation_failed:
    'One or more fields are missing, unknown, of the wrong type or out of bounds. Each is listed in errors with its JSON pointer.',
  credential_in_input:
    'Work, request, criteria or evidence contain what looks like a credential of this service. It was not stored.',
  unsupported_work_kind:
    'The kind that was named is outside of what is offered: running code, confirming actions, certification, and legal, medical or financial opinions.',
  price_above_max: 'The buyer’s own ceiling is lower than the price, so no quote was made.',
  contract_wallet_unsupported:
    'The address belongs to a contract. Only wallets that sign with their own key can sign in.',
  code_invalid:
    'The code belongs to another registration, has run out after 10 minutes, or is mistyped. Five tries are looked at, and attempts_remaining says how many are left: another code may succeed, the same one will not; the link in the letter goes on working.',
  rate_limited: 'More requests came in than this caller or address may send. Nothing was done with this one.',
  internal:
    'The fault is ours. Nothing that was acknowledged is lost, and repeating the request with its idempotency key cannot do anything twice.',
  registrations_closed:
    'New agents cannot be registered at the moment. Who is registered can go on, and wallets can sign in.',
  service_unavailable:
    'No check can be sold at the moment, or not over the rail that was asked for: it is not offered here or does not answer, no assessor is set up, or the service is switched off. `reasons` says which. Reports and receipts stay readable.',
};
