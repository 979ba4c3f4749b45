import { incidents } from './availability/incidents.ts';
import { consoleAccounts, pauseCustomerAgent, revokeCustomerAgent } from './console/accounts.ts';
import { consoleActs, verifyActs } from './console/acts.ts';
import { actOnPurchases, previewActs } from './console/bulk.ts';
import { consoleCustomers } from './console/customers.ts';
import { answerDispute, consoleDispute, consoleDisputes } from './console/disputes.ts';
import { sendEventsAgain } from './console/endpoints.ts';
import { consoleFailures, retryLetters } from './console/failures.ts';
import { openIncident, resolveIncident, updateIncident } from './console/incidents.ts';
import { consoleEntries, consoleLedger } from './console/ledger.ts';
import { sendLetterAgain } from './console/letters.ts';
import { consolePurchases } from './console/list.ts';
import { consoleMoney, giveBack, liftBlock, settleRefund } from './console/money.ts';
import { consoleMe, consoleOverview } from './console/overview.ts';
import { consolePurchase } from './console/purchase.ts';
import {
  askAgain,
  cancelJob,
  notePurchase,
  openContent,
  readContent,
  refundCharge,
  runAgain,
  waiveCharge,
} from './console/purchase-acts.ts';
import { consoleFindings, consoleQuality, exportCases, labelFinding, openFindings } from './console/quality.ts';
import { consoleSearch } from './console/search.ts';
import { turnSwitch } from './console/turn-switch.ts';
import { consoleViews, removeView, saveView } from './console/views.ts';
import { consoleWebhooks, hearAgain, openWebhook, readWebhook } from './console/webhooks.ts';
import { discovery, serviceContract } from './discovery/documents.ts';
import { changeLetters, endSessions, liftSilence, member } from './identity/account.ts';
import {
  agentHistory,
  agents,
  changeGrant,
  pauseAgent,
  releaseAgain,
  reviewAgents,
  revokeAgent,
} from './identity/agents.ts';
import { billing, changeBilling } from './identity/billing.ts';
import { confirm, confirmation } from './identity/confirmation.ts';
import { connection, decideConnection } from './identity/connection.ts';
import { me } from './identity/me.ts';
import { authorization, decideAuthorization } from './identity/oauth/consent.ts';
import {
  acceptInvitation,
  changeRole,
  invitation,
  inviteMember,
  people,
  removeMember,
  withdrawInvitation,
} from './identity/people.ts';
import { claim, register } from './identity/registration.ts';
import { rotateCredential } from './identity/rotate.ts';
import { signInLink } from './identity/sign-in-request.ts';
import { walletChallenge, walletSignOut, walletVerify } from './identity/wallet.ts';
import type { Verb } from './operation/verb.ts';
import type { allOperations } from './operations.ts';
import { closeAccount, closing } from './purchases/closing/close-account.ts';
import { job } from './purchases/job/view.ts';
import { bought } from './purchases/lists/bought.ts';
import { credit } from './purchases/lists/credit.ts';
import { events } from './purchases/lists/events.ts';
import { jobs, purchases, receipts } from './purchases/lists/lists.ts';
import { withNextActions } from './purchases/next-actions.ts';
import { buyCheck } from './purchases/pay/buy-check.ts';
import { cancelPayment } from './purchases/pay/cancel-payment.ts';
import { contestedPayments, disownPayments } from './purchases/pay/disown.ts';
import { pay } from './purchases/pay/pay.ts';
import { payByLink } from './purchases/pay/pay-by-link.ts';
import { paymentPage, startCheckout } from './purchases/pay/payment-page.ts';
import { readCheck } from './purchases/pay/read-check.ts';
import { removeCard, savedCards } from './purchases/pay/saved-cards.ts';
import { authorize } from './purchases/quote/authorize.ts';
import { approval, approvals, decideApproval } from './purchases/quote/decide-approval.ts';
import { evidence } from './purchases/quote/evidence.ts';
import { checkWork, purchase } from './purchases/quote/quote.ts';
import { didDocument } from './purchases/receipt/attested.ts';
import { bookkeeping } from './purchases/receipt/bookkeeping.ts';
import { bundle } from './purchases/receipt/bundle.ts';
import { receipt, receiptChain } from './purchases/receipt/receipt.ts';
import { receiptKeys } from './purchases/receipt/receipt-keys.ts';
import { review } from './purchases/review/review.ts';
import { deleteContent } from './purchases/rounds/retention.ts';
import {
  addWebhookEndpoint,
  removeWebhookEndpoint,
  resendWebhooks,
  webhookEndpoints,
} from './purchases/webhooks/endpoints.ts';
import { cancel } from './purchases/work/cancel.ts';
import { report } from './purchases/work/report.ts';
import { addSource, removeSource, sources } from './sources/sources.ts';

/** Adds to a refusal what the customer can do instead. */
export const advise = withNextActions;

/** Each operation's code. A missing or mismatched verb does not compile. */
export const verbs: { [Name in keyof typeof allOperations]: Verb<(typeof allOperations)[Name]> } = {
  discovery,
  service_contract: serviceContract,
  receipt_keys: receiptKeys,
  did_document: didDocument,
  incidents,
  wallet_challenge: walletChallenge,
  wallet_verify: walletVerify,
  register,
  claim,
  confirmation,
  confirm,
  sign_in_link: signInLink,
  connection,
  decide_connection: decideConnection,
  authorization,
  decide_authorization: decideAuthorization,
  agents,
  agent_history: agentHistory,
  change_grant: changeGrant,
  pause_agent: pauseAgent,
  revoke_agent: revokeAgent,
  release_again: releaseAgain,
  review_agents: reviewAgents,
  member,
  people,
  invite_member: inviteMember,
  withdraw_invitation: withdrawInvitation,
  change_role: changeRole,
  remove_member: removeMember,
  invitation,
  accept_invitation: acceptInvitation,
  billing,
  change_billing: changeBilling,
  closing,
  close_account: closeAccount,
  end_sessions: endSessions,
  lift_silence: liftSilence,
  change_letters: changeLetters,
  wallet_sign_out: walletSignOut,
  rotate_credential: rotateCredential,
  me,
  check_work: checkWork,
  purchase,
  authorize,
  approvals,
  approval,
  decide_approval: decideApproval,
  pay,
  cancel_payment: cancelPayment,
  payment_page: paymentPage,
  start_checkout: startCheckout,
  pay_by_link: payByLink,
  buy_check: buyCheck,
  read_check: readCheck,
  saved_cards: savedCards,
  remove_card: removeCard,
  contested_payments: contestedPayments,
  disown_payments: disownPayments,
  job,
  report,
  evidence,
  delete_content: deleteContent,
  review,
  receipt,
  receipt_chain: receiptChain,
  cancel,
  purchases,
  jobs,
  bought: bought,
  credit,
  receipts,
  bookkeeping,
  bundle,
  events,
  webhook_endpoints: webhookEndpoints,
  add_webhook_endpoint: addWebhookEndpoint,
  remove_webhook_endpoint: removeWebhookEndpoint,
  resend_webhooks: resendWebhooks,
  sources,
  add_source: addSource,
  remove_source: removeSource,
  console_me: consoleMe,
  console_overview: consoleOverview,
  console_money: consoleMoney,
  console_purchases: consolePurchases,
  console_purchase: consolePurchase,
  console_search: consoleSearch,
  console_acts: consoleActs,
  verify_acts: verifyActs,
  console_customers: consoleCustomers,
  note_purchase: notePurchase,
  open_content: openContent,
  read_content: readContent,
  ask_again: askAgain,
  cancel_job: cancelJob,
  waive_charge: waiveCharge,
  give_back: giveBack,
  settle_refund: settleRefund,
  lift_block: liftBlock,
  turn_switch: turnSwitch,
  open_incident: openIncident,
  update_incident: updateIncident,
  resolve_incident: resolveIncident,
  console_disputes: consoleDisputes,
  console_dispute: consoleDispute,
  answer_dispute: answerDispute,
  console_failures: consoleFailures,
  retry_letters: retryLetters,
  send_letter_again: sendLetterAgain,
  send_events_again: sendEventsAgain,
  console_accounts: consoleAccounts,
  pause_customer_agent: pauseCustomerAgent,
  revoke_customer_agent: revokeCustomerAgent,
  console_ledger: consoleLedger,
  console_entries: consoleEntries,
  console_webhooks: consoleWebhooks,
  hear_again: hearAgain,
  open_webhook: openWebhook,
  read_webhook: readWebhook,
  console_quality: consoleQuality,
  open_findings: openFindings,
  console_findings: consoleFindings,
  label_finding: labelFinding,
  export_cases: exportCases,
  run_again: runAgain,
  refund_charge: refundCharge,
  preview_acts: previewActs,
  act_on_purchases: actOnPurchases,
  console_views: consoleViews,
  save_view: saveView,
  remove_view: removeView,
};
