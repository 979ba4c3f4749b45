import type { operations } from '../operations.ts';
import { price, service } from '../service/terms.ts';
import { exampleRequest } from '../work-check/sample.ts';

/** A body for each POST, for the OpenAPI document. Keys in them are made up. Pure. */

type Operations = typeof operations;
export type PostName = {
  [Name in keyof Operations]: Operations[Name] extends { method: 'POST' } ? Name : never;
}[keyof Operations];

const key = 'Save one for each request: 7f1c';
const nothing = {};

export const requestExamples: Readonly<Record<PostName, Record<string, unknown>>> = {
  wallet_challenge: { address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  wallet_verify: { challenge_key: 'chal_2Zx4', signature: `0x${'1b'.repeat(65)}` },
  register: {
    mode: 'new_customer',
    email: 'ada@example.com',
    terms_version: service.termsVersion,
    agent: { name: 'Research agent', software: 'example-agent/1.0' },
    requested_grant: { payment_methods: ['card_checkout', 'x402'] },
  },
  claim: { claim_token: 'the claim_token of the registration', code: '123456' },
  confirmation: { link: 'the end of the link in the letter' },
  confirm: { link: 'the end of the link in the letter', decision: 'confirm' },
  sign_in_link: { email: 'ada@example.com' },
  connection: { user_code: 'BCDF-GHJK' },
  decide_connection: { user_code: 'BCDF-GHJK', decision: 'approve', grant: { payment_methods: ['card_saved'] } },
  decide_authorization: { decision: 'approve', grant: { payment_methods: ['card_saved'] } },
  change_grant: { daily_limit_microcents: Number(price) * 4, governed_refs: true },
  pause_agent: { paused: true },
  invite_member: { email: 'colleague@example.com', role: 'approver' },
  withdraw_invitation: nothing,
  change_role: { role: 'approver' },
  remove_member: nothing,
  invitation: { link: 'invite_5Gq1.mJ0p' },
  accept_invitation: { link: 'invite_5Gq1.mJ0p' },
  decide_approval: { decision: 'approve' },
  revoke_agent: nothing,
  release_again: nothing,
  review_agents: { keep: ['agent_4Tq8'], revoke: [] },
  change_billing: { name: 'Example GmbH', address: '1 Example Street\n10115 Berlin', tax_id: 'DE123456789' },
  close_account: { account_key: 'acct_9Kd2' },
  end_sessions: { session_key: 'session_9Kd2' },
  lift_silence: { origin: '192.0.2.0/24' },
  change_letters: { reports: false },
  rotate_credential: { reason: 'scheduled', grace_period_seconds: 900 },
  check_work: { ...exampleRequest, max_price_microcents: Number(price), idempotency_key: key },
  buy_check: { ...exampleRequest, max_price_microcents: Number(price) },
  authorize: { terms_version: service.termsVersion },
  pay: { rail: 'x402', idempotency_key: key },
  cancel_payment: nothing,
  start_checkout: nothing,
  pay_by_link: nothing,
  remove_card: nothing,
  disown_payments: nothing,
  review: { decision: 'dispute', reason: 'report_incomplete', detail: 'The second criterion has no finding.' },
  cancel: nothing,
  add_webhook_endpoint: { url: 'https://buyer.example/work-checks' },
  resend_webhooks: { after: 'quote_7Hn3.1' },
  add_source: { name: 'Price list 2026', text: 'Item,Price\nHose,12.50', media_type: 'text/plain' },
};
