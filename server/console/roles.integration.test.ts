import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../e2e/support/agent.ts';
import { Member } from '../../e2e/support/member.ts';
import { startService } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import { grantRole, revokeRole } from '../identity/operators.ts';
import { transact } from '../kernel/transaction.ts';
import { type ConsoleOperation, type Role, roles } from '../operation/operator-roles.ts';
import { allOperations } from '../operations.ts';
import { Problem } from '../problems/problem.ts';
import { operatorContext } from '../transports/context.ts';
import { answerTrpc } from '../transports/trpc.ts';

const service = await startService();
const members: Partial<Record<Role | 'nobody', Member>> = {};
let jobKey: string;
let accountKey: string;

/** Every role by every operation, as promised; written out, so that the table cannot change unnoticed. */
const matrix: Record<ConsoleOperation, string> = {
  console_me: 'viewer support finance admin',
  console_overview: 'viewer support finance admin',
  console_money: 'viewer support finance admin',
  console_purchases: 'viewer support finance admin',
  console_purchase: 'viewer support finance admin',
  console_search: 'viewer support finance admin',
  console_acts: 'viewer support finance admin',
  verify_acts: 'viewer support finance admin',
  console_customers: 'viewer support finance admin',
  open_content: 'support admin',
  read_content: 'support admin',
  note_purchase: 'support finance admin',
  ask_again: 'support finance admin',
  cancel_job: 'support admin',
  waive_charge: 'finance admin',
  give_back: 'finance admin',
  settle_refund: 'finance admin',
  lift_block: 'finance admin',
  turn_switch: 'admin',
  open_incident: 'support admin',
  update_incident: 'support admin',
  resolve_incident: 'support admin',
  console_disputes: 'viewer support finance admin',
  console_dispute: 'viewer support finance admin',
  answer_dispute: 'finance admin',
  console_failures: 'viewer support finance admin',
  retry_letters: 'support finance admin',
  send_letter_again: 'support finance admin',
  send_events_again: 'support finance admin',
  console_accounts: 'viewer support finance admin',
  pause_customer_agent: 'support finance admin',
  revoke_customer_agent: 'admin',
  console_ledger: 'viewer support finance admin',
  console_entries: 'viewer support finance admin',
  console_webhooks: 'viewer support finance admin',
  hear_again: 'support finance admin',
  open_webhook: 'support admin',
  read_webhook: 'support admin',
  console_quality: 'viewer support finance admin',
  open_findings: 'support admin',
  console_findings: 'support admin',
  label_finding: 'support admin',
  export_cases: 'support admin',
  run_again: 'support admin',
  refund_charge: 'finance admin',
  preview_acts: 'support finance admin',
  act_on_purchases: 'support finance admin',
  console_views: 'viewer support finance admin',
  save_view: 'viewer support finance admin',
  remove_view: 'viewer support finance admin',
};

/** A permitted request that finds nothing to do, or is answered. */
function inputOf(name: ConsoleOperation): unknown {
  const reason = 'a trial';
  switch (name) {
    case 'console_purchase':
    case 'read_content':
      return { key: jobKey };
    case 'console_search':
      return { q: jobKey };
    case 'console_customers':
      return { account_key: accountKey };
    case 'note_purchase':
    case 'open_content':
    case 'ask_again':
    case 'waive_charge':
    case 'cancel_job':
    case 'run_again':
    case 'refund_charge':
      return { key: jobKey, reason };
    case 'give_back':
      return { network: 'eip155:84532', transaction: `0x${'0'.repeat(64)}`, position: 0, reason };
    case 'settle_refund':
      return { refund_key: 'refund_unknown', as: 'wallet_credit', reason };
    case 'lift_block':
      return { block_key: 'block_unknown', reason };
    case 'console_dispute':
      return { dispute_key: 'du_unknown' };
    case 'answer_dispute':
      return { dispute_key: 'du_unknown', statement: 'It was delivered.', reason };
    case 'retry_letters':
    case 'open_findings':
      return { reason };
    case 'send_letter_again':
      return { letter_key: 'letter_unknown', reason };
    case 'send_events_again':
      return { endpoint_key: 'endpoint_unknown', reason };
    case 'pause_customer_agent':
      return { agent_key: 'agent_unknown', paused: 'yes', reason };
    case 'revoke_customer_agent':
      return { agent_key: 'agent_unknown', reason };
    case 'hear_again':
    case 'open_webhook':
      return { event_key: 'evt_unknown', reason };
    case 'read_webhook':
      return { event_key: 'evt_unknown' };
    case 'label_finding':
      return { job_key: jobKey, report_number: 9, finding: 0, label: 'right' };
    case 'preview_acts':
      return { action: 'note_purchase', keys: [jobKey] };
    case 'act_on_purchases':
      return { action: 'note_purchase', keys: [jobKey], reason };
    case 'save_view':
      return { name: 'Mine', query: 'is=job:failed' };
    case 'remove_view':
      return { view_key: 'view_unknown' };
    case 'open_incident':
      return { title: 'A trial', impact: { rest: 'degraded' }, text: reason };
    case 'update_incident':
    case 'resolve_incident':
      return { incident_key: 'incident_unknown', text: reason };
    case 'turn_switch':
      return { name: 'card', state: 'on', reason };
    default:
      return {};
  }
}

const hidden = 'There is nothing here for this caller.';

async function isLetIn(name: ConsoleOperation, member: Member): Promise<boolean> {
  try {
    await perform(name, member.pageContext(), inputOf(name));
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.message === hidden) expect(error.status).toBe(404);
    return error.message !== hidden;
  }
}

async function askTrpc(member: Member, name: ConsoleOperation): Promise<{ status: number; text: string }> {
  const isRead = allOperations[name].effect === 'read';
  const input = JSON.stringify(inputOf(name));
  const address = `${service.baseUrl}/api/trpc/${name}${isRead ? `?input=${encodeURIComponent(input)}` : ''}`;
  const request = new Request(address, {
    method: isRead ? 'GET' : 'POST',
    headers: { ...member.identity(), 'content-type': 'application/json' },
    ...(isRead ? {} : { body: input }),
  });
  const response = await answerTrpc(request, service.runtime);
  return { status: response.status, text: await response.text() };
}

beforeAll(async () => {
  const agent = await Agent.arrive(service);
  jobKey = await agent.paidJob();
  await service.execute(jobKey);
  accountKey = (await agent.get('/api/agent/v1/me')).body.account_key;
  for (const role of [...roles, 'nobody'] as const) {
    const email = `${role}@example.com`;
    if (role !== 'nobody') {
      await transact(service.runtime.db, (tx) => grantRole(tx, email, role, new Date()));
    }
    members[role] = await Member.ofAccount(service, accountKey, email);
  }
});

const memberOf = (role: Role | 'nobody'): Member => {
  const member = members[role];
  if (!member) throw new Error(`nobody is ${role}`);
  return member;
};

describe('who may do what in the console', () => {
  it.each(Object.keys(matrix) as ConsoleOperation[])(
    '%s: each role as the table says, and nobody without one',
    async (name) => {
      const letIn: string[] = [];
      for (const role of [...roles, 'nobody'] as const) if (await isLetIn(name, memberOf(role))) letIn.push(role);
      expect(letIn.join(' ')).toBe(matrix[name]);
    },
  );

  it.each(Object.keys(matrix) as ConsoleOperation[])(
    '%s over tRPC: the same, with 404 for the others',
    async (name) => {
      const letIn: string[] = [];
      for (const role of [...roles, 'nobody'] as const) {
        const { status, text } = await askTrpc(memberOf(role), name);
        if (!text.includes(hidden)) letIn.push(role);
        else expect(status).toBe(404);
        expect(status).not.toBe(500);
      }
      expect(letIn.join(' ')).toBe(matrix[name]);
    },
  );

  it('a role ends with the next request, and a credential of an agent never has one', async () => {
    const viewer = memberOf('viewer');
    await revokeRole(service.runtime.db, 'Viewer@example.com');
    await expect(perform('console_me', viewer.pageContext(), {})).rejects.toMatchObject({ code: 'not_found' });
    const agent = await Agent.arrive(service);
    const ctx = { ...operatorContext(service.runtime), presented: { bearer: agent.token, memberSession: null } };
    await expect(perform('console_me', ctx, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a procedure of members answers a member without a role, and another site rides on no session', async () => {
    const member = memberOf('nobody');
    const ask = (headers: Record<string, string>) =>
      answerTrpc(new Request(`${service.baseUrl}/api/trpc/jobs`, { headers }), service.runtime);
    const answered = await ask(member.identity());
    const { result } = (await answered.json()) as { result: { data: { jobs: { job_key: string }[] } } };
    expect(result.data.jobs.map(({ job_key }) => job_key)).toEqual([jobKey]);
    expect((await ask({ ...member.identity(), origin: 'https://example.com' })).status).toBe(401);
  });
});
