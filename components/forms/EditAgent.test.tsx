import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ConnectedAgent } from '@/server/identity/member-contract.ts';
import { type MemberRole, memberMay, memberRoles } from '@/server/operation/member-roles.ts';
import { railNames } from '@/server/payments/contract.ts';
import { EditAgent } from './EditAgent.tsx';
import { valuesOf } from './GrantFields.tsx';

const at = '2026-11-20T09:00:00.000Z';
const agent = {
  agent_key: 'agent_1',
  kind: 'agent',
  name: 'Procurement Assistant',
  state: 'active',
  connected_at: at,
  last_used_at: null,
  claim_until: null,
  spend: { today_microcents: 0, total_microcents: 0, held_today_microcents: 0 },
  grant: {
    payment_methods: ['x402'],
    per_job_limit_microcents: 500_000_000,
    daily_limit_microcents: 1_000_000_000,
    total_limit_microcents: null,
    governed_refs: false,
    review_authority: true,
    expires_at: null,
    approval_above_microcents: null,
    may_ask_above_limits: false,
  },
} as unknown as ConnectedAgent;

/** Where the buttons and the red link lead, for a member in this role. */
function ways(role: MemberRole): string[] {
  const html = renderToStaticMarkup(
    <EditAgent
      agent={agent}
      values={valuesOf(agent.grant)}
      isUnsaved={false}
      events={[]}
      told={null}
      above={null}
      rails={[...railNames]}
      next="/agents/agent_1"
      may={(operation) => memberMay(role, operation)}
    />,
  );
  return [...html.matchAll(/(?:action|href)="\/agents\/agent_1\/(\w+)"/g)].map(([, way = '']) => way);
}

it.each([
  ['owner', ['grant', 'pause', 'release', 'revoke']],
  ['approver', ['pause']],
  ['reader', []],
] as const)('the page of an agent offers its %s what the door lets them do', (role, expected) => {
  expect(memberRoles).toContain(role);
  expect(ways(role)).toEqual(expected);
});
