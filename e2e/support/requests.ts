import { randomUUID } from 'node:crypto';
import { type Operation, pathKeys } from '../../server/operation/operation.ts';
import { type OperationName, operations } from '../../server/operations.ts';
import { price, service } from '../../server/service/terms.ts';
import { exampleRequest } from '../../server/work-check/sample.ts';
import type { Answer, Client } from './agent.ts';

/** What a request can be about: a purchase, and a document of the buying account. */
export interface Subject {
  readonly quote_key: string;
  readonly job_key: string;
  readonly agent_key: string;
  readonly source_key: string;
  readonly endpoint_key?: string;
}

type Body = Record<string, unknown>;

/** A valid request of every operation: path keys and body, flat. Missing operations fail to compile. */
export const wellFormed: { readonly [Name in OperationName]: (about: Subject) => Body } = {
  discovery: () => ({}),
  service_contract: () => ({}),
  receipt_keys: () => ({}),
  did_document: () => ({}),
  incidents: () => ({}),
  wallet_challenge: () => ({ address: `0x${'1'.repeat(40)}` }),
  wallet_verify: () => ({ challenge_key: 'challenge_unknown', signature: `0x${'1'.repeat(130)}` }),
  register: () => ({
    mode: 'new_customer',
    email: `${randomUUID()}@example.com`,
    terms_version: service.termsVersion,
    agent: { name: 'Procurement Assistant' },
  }),
  claim: () => ({ registration_key: 'reg_unknown', claim_token: 'svc_claim_unknown' }),
  confirmation: () => ({ link: 'reg_unknown.unknown' }),
  confirm: () => ({ link: 'reg_unknown.unknown', decision: 'confirm' }),
  rotate_credential: () => ({}),
  sign_in_link: () => ({ email: 'owner@example.com' }),
  connection: () => ({ user_code: 'BCDF-GHJK' }),
  decide_connection: () => ({ registration_key: 'reg_unknown', user_code: 'BCDF-GHJK', decision: 'approve' }),
  authorization: () => ({ authorization_key: 'unknown' }),
  decide_authorization: () => ({ authorization_key: 'unknown', decision: 'approve' }),
  agents: () => ({}),
  agent_history: ({ agent_key }) => ({ agent_key }),
  change_grant: ({ agent_key }) => ({ agent_key }),
  pause_agent: ({ agent_key }) => ({ agent_key, paused: false }),
  revoke_agent: ({ agent_key }) => ({ agent_key }),
  release_again: ({ agent_key }) => ({ agent_key }),
  review_agents: () => ({ keep: [], revoke: [] }),
  member: () => ({}),
  people: () => ({}),
  invite_member: () => ({ email: `${randomUUID()}@example.com`, role: 'reader' }),
  withdraw_invitation: () => ({ invitation_key: 'invite_unknown' }),
  change_role: () => ({ member_key: 'member_unknown', role: 'reader' }),
  remove_member: () => ({ member_key: 'member_unknown' }),
  invitation: () => ({ link: 'invite_unknown.unknown' }),
  accept_invitation: () => ({ link: 'invite_unknown.unknown' }),
  billing: () => ({}),
  change_billing: () => ({ name: 'Buyer Ltd', address: '2 Example Road\nLondon', tax_id: null }),
  closing: () => ({}),
  close_account: () => ({ account_key: 'acct_unknown' }),
  end_sessions: () => ({ session_key: 'session_unknown' }),
  lift_silence: () => ({ origin: '203.0.113.0/24' }),
  change_letters: () => ({ reports: true }),
  me: () => ({}),
  check_work: () => ({ ...exampleRequest, max_price_microcents: Number(price) }),
  purchase: ({ quote_key }) => ({ quote_key }),
  authorize: ({ quote_key }) => ({ quote_key, terms_version: service.termsVersion }),
  approvals: () => ({}),
  approval: () => ({ approval_key: 'approval_unknown' }),
  decide_approval: () => ({ approval_key: 'approval_unknown', decision: 'decline' }),
  pay: ({ job_key }) => ({ job_key, rail: 'x402' }),
  cancel_payment: ({ job_key }) => ({ job_key }),
  payment_page: () => ({ payment_key: 'pay_unknown' }),
  start_checkout: () => ({ payment_key: 'pay_unknown' }),
  pay_by_link: () => ({ payment_key: 'pay_unknown' }),
  buy_check: () => ({ ...exampleRequest }),
  read_check: ({ job_key }) => ({ job_key }),
  saved_cards: () => ({}),
  remove_card: () => ({ card_key: 'card_unknown' }),
  contested_payments: () => ({}),
  disown_payments: () => ({}),
  job: ({ job_key }) => ({ job_key }),
  report: ({ job_key }) => ({ job_key }),
  evidence: ({ job_key }) => ({ job_key }),
  delete_content: ({ job_key }) => ({ job_key }),
  review: ({ job_key }) => ({ job_key, decision: 'accept' }),
  receipt: ({ job_key }) => ({ job_key }),
  receipt_chain: ({ job_key }) => ({ job_key }),
  cancel: ({ job_key }) => ({ job_key }),
  purchases: () => ({}),
  jobs: () => ({}),
  bought: () => ({}),
  credit: () => ({}),
  receipts: () => ({}),
  bookkeeping: () => ({}),
  bundle: ({ job_key }) => ({ job_key }),
  events: () => ({}),
  webhook_endpoints: () => ({}),
  add_webhook_endpoint: () => ({ url: `https://buyer.example/hooks/${randomUUID()}` }),
  resend_webhooks: ({ endpoint_key = 'endpoint_none' }) => ({ endpoint_key }),
  remove_webhook_endpoint: ({ endpoint_key = 'endpoint_none' }) => ({ endpoint_key }),
  sources: () => ({}),
  add_source: () => ({ name: 'Handbook', text: 'Transport is paid by the seller.' }),
  remove_source: ({ source_key }) => ({ source_key }),
  // Last: it ends the member's session.
  wallet_sign_out: () => ({}),
};

export const operationNames = Object.keys(wellFormed) as OperationName[];

/** Sends `input` to an operation: path keys in the address, the rest in the body or, for a GET, the query. */
export function ask(
  client: Client,
  name: OperationName,
  input: Body,
  { key = randomUUID(), headers = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const operation: Operation = operations[name];
  const rest = { ...input };
  let path = operation.path;
  for (const part of pathKeys(operation)) {
    path = path.replace(`{${part}}`, encodeURIComponent(String(rest[part])));
    delete rest[part];
  }
  if (operation.method === 'POST') {
    const keyed = operation.idempotency === 'none' ? {} : { 'idempotency-key': key };
    return client.post(path, rest, { ...keyed, ...headers });
  }
  const query = new URLSearchParams(rest as Record<string, string>).toString();
  return client.send(operation.method, query ? `${path}?${query}` : path, undefined, headers);
}
