import * as operator from './console/contract.ts';
import * as customerOps from './console/customer-contract.ts';
import * as disputeOps from './console/money-contract.ts';
import * as qualityOps from './console/quality-contract.ts';
import * as recordOps from './console/records-contract.ts';
import type { ConsoleOperation } from './console/roles.ts';
import type { Operation, PublishedOperation } from './door/operation.ts';
import * as account from './identity/account-contract.ts';
import * as identity from './identity/contract.ts';
import * as members from './identity/member-contract.ts';
import * as registration from './identity/registration-contract.ts';
import * as purchases from './purchases/contract.ts';
import * as link from './purchases/link-contract.ts';
import * as lists from './purchases/list-contract.ts';
import * as payment from './purchases/payment-contract.ts';
import * as service from './service/contract.ts';
import * as sources from './sources/contract.ts';

/**
 * The operations of customers and their agents. Everything published (addresses, tools, OpenAPI, guide, discovery)
 * derives from this list; an operator's operation does not compile here. Pure data, readable without a server.
 */
export const operations = {
  discovery: service.discovery,
  service_contract: service.serviceContract,
  receipt_keys: service.receiptKeys,
  wallet_challenge: identity.walletChallenge,
  wallet_verify: identity.walletVerify,
  register: registration.register,
  claim: registration.claim,
  confirmation: registration.confirmation,
  confirm: registration.confirm,
  sign_in_link: members.signInLink,
  connection: members.connection,
  decide_connection: members.decideConnection,
  agents: members.agents,
  agent_history: members.agentHistory,
  change_grant: members.changeGrant,
  pause_agent: members.pauseAgent,
  revoke_agent: members.revokeAgent,
  release_again: members.releaseAgain,
  review_agents: members.reviewAgents,
  member: account.member,
  end_sessions: account.endSessions,
  lift_silence: account.liftSilence,
  wallet_sign_out: identity.walletSignOut,
  rotate_credential: identity.rotateCredential,
  me: identity.me,
  check_work: purchases.checkWork,
  purchase: purchases.purchase,
  authorize: purchases.authorize,
  pay: purchases.pay,
  cancel_payment: purchases.cancelPayment,
  payment_page: payment.paymentPage,
  start_checkout: payment.startCheckout,
  pay_by_link: link.payByLink,
  saved_cards: payment.savedCards,
  remove_card: payment.removeCard,
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
  member_purchases: lists.memberPurchases,
  receipts: lists.receipts,
  events: lists.events,
  sources: sources.sources,
  add_source: sources.addSource,
  remove_source: sources.removeSource,
} as const satisfies Record<string, PublishedOperation>;

export type OperationName = keyof typeof operations;

/** Operators' operations. Same door, published by no transport. */
const operatorOperations = {
  console_me: operator.consoleMe,
  console_overview: operator.consoleOverview,
  console_money: operator.consoleMoney,
  console_purchases: operator.consolePurchases,
  console_purchase: operator.consolePurchase,
  console_search: operator.consoleSearch,
  console_acts: operator.consoleActs,
  verify_acts: operator.verifyActs,
  console_customers: operator.consoleCustomers,
  note_purchase: operator.notePurchase,
  open_content: operator.openContent,
  read_content: operator.readContent,
  ask_again: operator.askAgain,
  cancel_job: operator.cancelJob,
  waive_charge: operator.waiveCharge,
  give_back: operator.giveBack,
  lift_block: operator.liftBlock,
  turn_switch: operator.turnSwitch,
  run_again: operator.runAgain,
  refund_charge: operator.refundCharge,
  preview_acts: operator.previewActs,
  act_on_purchases: operator.actOnPurchases,
  console_views: operator.consoleViews,
  save_view: operator.saveView,
  remove_view: operator.removeView,
  console_disputes: disputeOps.consoleDisputes,
  console_dispute: disputeOps.consoleDispute,
  answer_dispute: disputeOps.answerDispute,
  console_failures: disputeOps.consoleFailures,
  retry_letters: disputeOps.retryLetters,
  console_accounts: customerOps.consoleAccounts,
  pause_customer_agent: customerOps.pauseCustomerAgent,
  revoke_customer_agent: customerOps.revokeCustomerAgent,
  console_ledger: recordOps.consoleLedger,
  console_entries: recordOps.consoleEntries,
  console_webhooks: recordOps.consoleWebhooks,
  hear_again: recordOps.hearAgain,
  open_webhook: recordOps.openWebhook,
  read_webhook: recordOps.readWebhook,
  console_quality: qualityOps.consoleQuality,
  open_findings: qualityOps.openFindings,
  console_findings: qualityOps.consoleFindings,
  label_finding: qualityOps.labelFinding,
  export_cases: qualityOps.exportCases,
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
