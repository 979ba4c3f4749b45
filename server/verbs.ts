import { turnSwitch } from './console/turn-switch.ts';
import { endSessions, liftSilence, member } from './identity/account.ts';
import {
  agentHistory,
  agents,
  changeGrant,
  pauseAgent,
  releaseAgain,
  reviewAgents,
  revokeAgent,
} from './identity/agents.ts';
import { confirm, confirmation } from './identity/confirmation.ts';
import { connection, decideConnection } from './identity/connection.ts';
import { me } from './identity/me.ts';
import { claim, register } from './identity/registration.ts';
import { rotateCredential } from './identity/rotate.ts';
import { signInLink } from './identity/sign-in-request.ts';
import { walletChallenge, walletSignOut, walletVerify } from './identity/wallet.ts';
import type { allOperations } from './operations.ts';
import type { Verb } from './perform.ts';
import { authorize } from './purchases/authorize.ts';
import { cancel } from './purchases/cancel.ts';
import { cancelPayment } from './purchases/cancel-payment.ts';
import { events } from './purchases/events.ts';
import { evidence } from './purchases/evidence.ts';
import { job } from './purchases/job.ts';
import { jobs, purchases, receipts } from './purchases/lists.ts';
import { memberPurchases } from './purchases/member-list.ts';
import { pay } from './purchases/pay.ts';
import { checkWork, purchase } from './purchases/quote.ts';
import { receipt, receiptChain } from './purchases/receipt.ts';
import { receiptKeys } from './purchases/receipt-keys.ts';
import { report } from './purchases/report.ts';
import { deleteContent } from './purchases/retention.ts';
import { review } from './purchases/review.ts';
import { discovery, serviceContract } from './service/documents.ts';
import { addSource, removeSource, sources } from './sources/sources.ts';

/** The code behind each operation. An operation without its verb does not compile. */
export const verbs: { [Name in keyof typeof allOperations]: Verb<(typeof allOperations)[Name]> } = {
  discovery,
  service_contract: serviceContract,
  receipt_keys: receiptKeys,
  wallet_challenge: walletChallenge,
  wallet_verify: walletVerify,
  register,
  claim,
  confirmation,
  confirm,
  sign_in_link: signInLink,
  connection,
  decide_connection: decideConnection,
  agents,
  agent_history: agentHistory,
  change_grant: changeGrant,
  pause_agent: pauseAgent,
  revoke_agent: revokeAgent,
  release_again: releaseAgain,
  review_agents: reviewAgents,
  member,
  end_sessions: endSessions,
  lift_silence: liftSilence,
  wallet_sign_out: walletSignOut,
  rotate_credential: rotateCredential,
  me,
  check_work: checkWork,
  purchase,
  authorize,
  pay,
  cancel_payment: cancelPayment,
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
  member_purchases: memberPurchases,
  receipts,
  events,
  sources,
  add_source: addSource,
  remove_source: removeSource,
  turn_switch: turnSwitch,
};
