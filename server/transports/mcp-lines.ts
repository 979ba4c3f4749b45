import { toText } from '../kernel/money.ts';
import { tools } from '../operations.ts';
import type { Job, PendingPayment, Quote, Receipt } from '../purchases/contract.ts';
import { isMoving } from '../purchases/states.ts';
import type { Report } from '../work-check/contract.ts';

/** The first line of an answer's text: a model that reads nothing else knows what to do. Pure. */

/** The essence of a tool's answer, and the next tool. */
export function lineOf(body: object): string {
  if ('receipt_version' in body) return receiptLine(body as Receipt);
  if ('verdict' in body && 'findings' in body) return reportLine(body as Report);
  if ('spend' in body) return meLine(body as Me);
  if ('payment_key' in body) return pendingLine(body as PendingPayment);
  return purchaseLine(body as Job | Quote);
}

function purchaseLine(body: Job | Quote): string {
  const isJob = 'payment_state' in body;
  const tools = [...new Set(body.next_actions.map(({ mcp_tool }) => mcp_tool))].join(', ');
  const subject = isJob ? body.job_key : body.quote_key;
  const follow = isJob && isMoving(body) ? ' Follow it with svc.purchase_status and wait_seconds.' : '';
  const allowed = tools ? ` Allowed now${follow ? ', and not needed' : ''}: ${tools}.` : '';
  return `${subject} is ${body.state.replaceAll('_', ' ')}. ${body.next_step}${follow}${allowed}`;
}

function pendingLine({ payment_key, payment_state, continuation_url, next_step }: PendingPayment): string {
  const payer = continuation_url ? ` The payer's address: ${continuation_url}` : '';
  return `${payment_key} is ${payment_state.replaceAll('_', ' ')}. ${next_step} Follow it with svc.purchase_status and wait_seconds.${payer}`;
}

function reportLine({ verdict, summary, recommended_action }: Report): string {
  const action = recommended_action ? ` Recommended: ${recommended_action}` : '';
  return `The verdict is ${verdict}. ${summary}${action} Then accept or dispute it with svc.review_delivery.`;
}

function receiptLine({ collection, charge, remedy }: Receipt): string {
  const given = remedy.kind === 'none' ? '' : ` Remedy: ${remedy.kind}, ${remedy.state}.`;
  return (
    `${toText(BigInt(collection.amount_microcents))} by ${collection.method}: ${collection.state}. ` +
    `Charge: ${charge.state}, ${toText(BigInt(charge.amount_microcents))}. ${charge.basis}${given}`
  );
}

interface Me {
  principal: { kind: string; address?: string; agent_key?: string };
  grant: { daily_limit_microcents: number; per_job_limit_microcents: number };
  spend: { today_microcents: number };
  wallet_credit_microcents: number;
}

function meLine({ principal, grant, spend, wallet_credit_microcents: credit }: Me): string {
  return (
    `You are ${principal.kind} ${principal.address ?? principal.agent_key}. Of ${toText(BigInt(grant.daily_limit_microcents))} ` +
    `for today, ${toText(BigInt(spend.today_microcents))} is taken; a check may cost ` +
    `${toText(BigInt(grant.per_job_limit_microcents))}. Wallet credit: ${toText(BigInt(credit))}.`
  );
}

const names = new RegExp(
  `\\bsvc\\.(?=(?:${[...tools.keys()].map((name) => name.slice('svc.'.length)).join('|')})\\b)`,
  'g',
);

/** Tool names in our text, for clients that refuse dots. */
export function inSnake(text: string): string {
  return text.replaceAll(names, 'svc_');
}

/** An answer whose actions name tools without dots; otherwise unchanged. */
function withSnakeActions<Body extends Record<string, unknown>>(body: Body): Body {
  if (!Array.isArray(body.next_actions)) return body;
  const next_actions = body.next_actions.map((action: { mcp_tool: string }) => ({
    ...action,
    mcp_tool: inSnake(action.mcp_tool),
  }));
  return { ...body, next_actions };
}

/** Tool names: as the interface has them, or without dots for hosts that refuse those. */
export type Spelling = 'dots' | 'snake';

/** An answer whose actions name tools as the client lists them. */
export function spelled(body: Record<string, unknown>, spelling: Spelling): Record<string, unknown> {
  return spelling === 'snake' ? withSnakeActions(body) : body;
}

/** A text that names tools as the client lists them. */
export function words(written: string, spelling: Spelling): string {
  return spelling === 'snake' ? inSnake(written) : written;
}
