import * as documents from './availability/discovery-contract.ts';
import { incidents } from './availability/incident-contract.ts';
import * as acts from './console/contract/acts.ts';
import * as audit from './console/contract/audit.ts';
import * as customers from './console/contract/customers.ts';
import * as disputes from './console/contract/disputes.ts';
import * as failures from './console/contract/failures.ts';
import * as consoleIncidents from './console/contract/incidents.ts';
import * as money from './console/contract/money.ts';
import * as overview from './console/contract/overview.ts';
import * as consolePurchases from './console/contract/purchases.ts';
import * as quality from './console/contract/quality.ts';
import * as records from './console/contract/records.ts';
import * as account from './identity/account-contract.ts';
import * as identity from './identity/contract.ts';
import * as members from './identity/member-contract.ts';
import * as oauth from './identity/oauth-contract.ts';
import * as people from './identity/people-contract.ts';
import * as registration from './identity/registration-contract.ts';
import type { Operation, PublishedOperation } from './operation/operation.ts';
import type { ConsoleOperation } from './operation/operator-roles.ts';
import * as approvals from './purchases/approval-contract.ts';
import * as bookkeeping from './purchases/bookkeeping-contract.ts';
import { bundle } from './purchases/bundle-contract.ts';
import * as closing from './purchases/closing-contract.ts';
import * as purchases from './purchases/contract.ts';
import * as credit from './purchases/credit-contract.ts';
import * as keys from './purchases/key-contract.ts';
import * as keyless from './purchases/keyless-contract.ts';
import * as link from './purchases/link-contract.ts';
import * as lists from './purchases/list-contract.ts';
import * as payment from './purchases/payment-contract.ts';
import * as webhooks from './purchases/webhook-contract.ts';
import * as sources from './sources/contract.ts';

/**
 * The operations of customers and their agents. Everything published (addresses, tools, OpenAPI, guide, discovery)
 * derives from this list; an operator's operation does not compile here. Pure data, readable without a server.
 */
export const operations = {
  discovery: documents.discovery,
  service_contract: documents.serviceContract,
  receipt_keys: keys.receiptKeys,
  did_document: keys.didDocument,
  incidents,
  wallet_challenge: identity.walletChallenge,
  wallet_verify: identity.walletVerify,
  register: registration.register,
  claim: registration.claim,
  confirmation: registration.confirmation,
  confirm: registration.confirm,
  sign_in_link: members.signInLink,
  connection: members.connection,
  decide_connection: members.decideConnection,
  authorization: oauth.authorization,
  decide_authorization: oauth.decideAuthorization,
  agents: members.agents,
  agent_history: members.agentHistory,
  change_grant: members.changeGrant,
  pause_agent: members.pauseAgent,
  revoke_agent: members.revokeAgent,
  release_again: members.releaseAgain,
  review_agents: members.reviewAgents,
  member: account.member,
  people: people.people,
  invite_member: people.inviteMember,
  withdraw_invitation: people.withdrawInvitation,
  change_role: people.changeRole,
  remove_member: people.removeMember,
  invitation: people.invitation,
  accept_invitation: people.acceptInvitation,
  billing: account.billing,
  change_billing: account.changeBilling,
  closing: closing.closing,
  close_account: closing.closeAccount,
  end_sessions: account.endSessions,
  lift_silence: account.liftSilence,
  change_letters: account.changeLetters,
  wallet_sign_out: identity.walletSignOut,
  rotate_credential: identity.rotateCredential,
  me: identity.me,
  check_work: purchases.checkWork,
  purchase: purchases.purchase,
  authorize: purchases.authorize,
  approvals: approvals.approvals,
  approval: approvals.approval,
  decide_approval: approvals.decideApproval,
  pay: purchases.pay,
  cancel_payment: purchases.cancelPayment,
  payment_page: payment.paymentPage,
  start_checkout: payment.startCheckout,
  pay_by_link: link.payByLink,
  buy_check: keyless.buyCheck,
  read_check: keyless.readCheck,
  saved_cards: payment.savedCards,
  remove_card: payment.removeCard,
  contested_payments: payment.contestedPayments,
  disown_payments: payment.disownPayments,
  job: purchases.job,
  report: purchases.report,
  evidence: purchases.evidence,
  delete_content: purchases.deleteContent,
  review: purchases.review,
  receipt: purchases.receipt,
  receipt_chain: purchases.receiptChain,
  cancel: purchases.cancel,
  purchases: lists.purchases,
  jobs: lists.jobs,
  bought: lists.bought,
  credit: credit.credit,
  receipts: lists.receipts,
  bookkeeping: bookkeeping.bookkeeping,
  bundle,
  events: lists.events,
  webhook_endpoints: webhooks.webhookEndpoints,
  add_webhook_endpoint: webhooks.addWebhookEndpoint,
  resend_webhooks: webhooks.resendWebhooks,
  remove_webhook_endpoint: webhooks.removeWebhookEndpoint,
  sources: sources.sources,
  add_source: sources.addSource,
  remove_source: sources.removeSource,
} as const satisfies Record<string, PublishedOperation>;

export type OperationName = keyof typeof operations;

/** Operators' operations. Same door, published by no transport. */
const operatorOperations = {
  console_me: overview.consoleMe,
  console_overview: overview.consoleOverview,
  console_money: money.consoleMoney,
  console_purchases: consolePurchases.consolePurchases,
  console_purchase: consolePurchases.consolePurchase,
  console_search: overview.consoleSearch,
  console_acts: audit.consoleActs,
  verify_acts: audit.verifyActs,
  console_customers: customers.consoleCustomers,
  note_purchase: acts.notePurchase,
  open_content: acts.openContent,
  read_content: acts.readContent,
  ask_again: acts.askAgain,
  cancel_job: acts.cancelJob,
  waive_charge: acts.waiveCharge,
  give_back: money.giveBack,
  settle_refund: money.settleRefund,
  lift_block: money.liftBlock,
  turn_switch: overview.turnSwitch,
  open_incident: consoleIncidents.openIncident,
  update_incident: consoleIncidents.updateIncident,
  resolve_incident: consoleIncidents.resolveIncident,
  console_disputes: disputes.consoleDisputes,
  console_dispute: disputes.consoleDispute,
  answer_dispute: disputes.answerDispute,
  console_failures: failures.consoleFailures,
  retry_letters: failures.retryLetters,
  send_letter_again: customers.sendLetterAgain,
  send_events_again: customers.sendEventsAgain,
  console_accounts: customers.consoleAccounts,
  pause_customer_agent: customers.pauseCustomerAgent,
  revoke_customer_agent: customers.revokeCustomerAgent,
  console_ledger: records.consoleLedger,
  console_entries: records.consoleEntries,
  console_webhooks: records.consoleWebhooks,
  hear_again: records.hearAgain,
  open_webhook: records.openWebhook,
  read_webhook: records.readWebhook,
  console_quality: quality.consoleQuality,
  open_findings: quality.openFindings,
  console_findings: quality.consoleFindings,
  label_finding: quality.labelFinding,
  export_cases: quality.exportCases,
  run_again: acts.runAgain,
  refund_charge: acts.refundCharge,
  preview_acts: acts.previewActs,
  act_on_purchases: acts.actOnPurchases,
  console_views: consolePurchases.consoleViews,
  save_view: consolePurchases.saveView,
  remove_view: consolePurchases.removeView,
} as const satisfies Record<ConsoleOperation, Operation>;

/** All operations. */
export const allOperations = { ...operations, ...operatorOperations };

/**
 * The MCP tools in the order of a purchase, with their operations. A tool with several takes the key of any of them.
 */
export const tools: ReadonlyMap<string, readonly (Operation & { name: OperationName })[]> = Map.groupBy(
  Object.values(operations).filter(
    (operation): operation is Extract<typeof operation, { tool: string }> => 'tool' in operation,
  ),
  (operation) => operation.tool,
);
