import { instantText } from '../kernel/instant-text.ts';
import { toText } from '../kernel/money.ts';
import { statement } from '../kernel/sql.ts';
import type { Happening } from '../mail/due-letters.ts';
import { quoted, type Words } from '../mail/letter.ts';
import type { DueLetter, LetterWriters } from '../mail/send-letter.ts';
import type { BlockCause } from '../operation/caller.ts';
import { memberRoles } from '../operation/member-roles.ts';
import { printedOn } from '../payments/card/saved.ts';
import type { Runtime } from '../runtime.ts';
import { lasting, price } from '../service/terms.ts';
import { memberAddresses } from './account.ts';
import { raises } from './agents.ts';
import { blockWords } from './blocked.ts';
import { type ClosedFacts, closedLetter, writeToUs } from './closed-letter.ts';
import type { GrantTerms } from './contract.ts';

/** What happened to an account: letters about safety, which nobody can turn off. */
type AccountLetter = { kind: 'account' } & Happening;

/** What members do at no cost, as often as they like. */
const repeatable: ReadonlySet<string> = new Set([
  'grant_changed',
  'release_allowed',
  'member_joined',
  'member_removed',
  'role_changed',
  'card_removed',
]);

/** The letters about accounts, by message. */
export const accountLetters: LetterWriters<AccountLetter> = { account: lettersOfAccount };

interface EventRow {
  action: string;
  detail: Record<string, unknown>;
  actor: string;
  agent: string | null;
  is_new: boolean;
  by_member: boolean;
}

const eventOfAccount = `
  select e.action, e.detail || coalesce(${printedOn("e.detail ->> 'card_key'")}, '{}') as detail,
    coalesce(m.email, 'The operator of this service') as actor, p.name as agent, a.created_at = e.at as is_new,
    m.member_key is not null as by_member
  from account_events e join accounts a using (account_key) left join members m on m.member_key = e.actor
    left join principals p on p.principal_key = e.principal_key
  where e.sequence = $1::bigint`;

/** Goes to every member of the account; a question only to those who may answer it. */
async function lettersOfAccount({ db, configuration }: Runtime, happening: Happening): Promise<DueLetter[]> {
  const { account_key: accountKey, number } = happening;
  const event = await db.one<EventRow>(statement(eventOfAccount, [number]));
  const words = wordsOf(event, configuration.baseUrl);
  if (!words) return [];
  const change = event.action === 'approval_asked' ? 'decide_approval' : undefined;
  const former = event.action === 'account_closed' ? memberRoles : [];
  return (await memberAddresses(db, accountKey, { change, former })).map((address) => ({
    kind: 'important',
    address,
    about: `${happening.action}:${accountKey}:${number}`,
    isRepeatable: repeatable.has(happening.action),
    origin: null,
    words: () => words,
  }));
}

function wordsOf(event: EventRow, baseUrl: string): Words | null {
  const agents = { label: 'See the agents of the account', url: `${baseUrl}/agents` };
  const account = { label: 'See your account', url: `${baseUrl}/account` };
  const agent = event.agent ? `the agent that calls itself ${quoted(event.agent)}` : 'an agent';
  switch (event.action) {
    case 'agent_connected':
      return event.is_new ? welcome(agent, baseUrl) : null;
    case 'grant_changed': {
      const { before, after } = event.detail as { before: GrantTerms; after: GrantTerms };
      if (!raises(before, after)) return null;
      return {
        subject: 'The limits of an agent were raised',
        action: agents,
        paragraphs: [
          `${event.actor} raised the limits of ${agent}.`,
          limitsChanged(before, after),
          'If nobody on your account did this, pause the agent and end the sign-ins you do not recognize.',
        ],
      };
    }
    case 'release_allowed':
      return {
        subject: 'An agent may fetch a new key',
        action: agents,
        paragraphs: [
          `${event.actor} let ${agent} fetch a new key. It has ${lasting('claimWindow')} to do so.`,
          'If nobody on your account did this, revoke the agent.',
        ],
      };
    case 'approval_asked':
      return approvalAsked(event, capitalized(agent), baseUrl);
    case 'member_joined':
    case 'member_removed':
    case 'role_changed':
      return peopleLetter(event, account, baseUrl);
    case 'endpoint_failing':
      return endpointFailing(event, baseUrl);
    case 'card_removed':
      return {
        subject: 'A saved card was removed',
        action: account,
        paragraphs: [
          `${event.actor} removed ${cardText(event.detail)} from your account. No agent can pay with it any more.`,
          'If nobody on your account did this, end the sign-ins you do not recognize.',
        ],
      };
    case 'account_closed':
      return closedLetter(event.actor, event.detail as unknown as ClosedFacts, baseUrl);
    case 'purchases_blocked':
      return blocked(event.detail.cause as BlockCause, account);
    case 'payments_disowned':
      return disowned(event, account, baseUrl);
    case 'purchases_unblocked':
      // A member who did it by disowning payments is told of in the letter about that.
      if (event.by_member) return null;
      return {
        subject: 'Your account can buy again',
        action: account,
        paragraphs: ['A block of your account was lifted. Your agents can buy again, unless another block stands.'],
      };
    default:
      return null;
  }
}

function approvalAsked({ detail }: EventRow, agent: string, baseUrl: string): Words {
  const amount = toText(BigInt(detail.price_microcents as number));
  return {
    subject: `An agent asks to spend ${amount}`,
    action: { label: 'See what it asks, and decide', url: `${baseUrl}/approvals/${detail.approval_key}` },
    paragraphs: [
      `${agent} asks to buy a check for ${amount}, and needs your approval.`,
      detail.above_limits
        ? 'One of its limits is in the way. A yes lets this one purchase pass it.'
        : 'It costs more than the agent may spend alone.',
      `You can decide until ${instantText(new Date(detail.expires_at as string))}. A yes counts for this purchase alone. If you do nothing, nothing is bought.`,
    ],
  };
}

function peopleLetter({ action, detail, actor }: EventRow, account: Words['action'], baseUrl: string): Words {
  const { email, role, from, to } = detail as Record<string, string>;
  const said = {
    member_joined: ['Somebody joined your account', `${email} accepted an invitation and is now a member: ${role}.`],
    member_removed: ['A member left your account', `${email} is no longer a member. ${actor} did this.`],
    role_changed: ['The role of a member changed', `${email} was ${from} and is now ${to}. ${actor} did this.`],
  }[action];
  const [subject = '', first = ''] = said ?? [];
  const otherwise = `If nobody on your account did this, write to us at once: ${writeToUs(baseUrl).url}`;
  return { subject, action: account, paragraphs: [first, otherwise] };
}

function endpointFailing({ detail }: EventRow, baseUrl: string): Words {
  const { host = '', failure, since = '' } = detail as Record<string, string>;
  return {
    subject: 'A webhook endpoint does not take its events',
    action: { label: 'See your webhooks', url: `${baseUrl}/account/webhooks` },
    paragraphs: [
      `Your webhook endpoint at ${quoted(host)} has not taken its events since ${instantText(new Date(since))}. ${failure}`,
      'We keep trying for some days. An event that is still not taken then is passed over; it stays in the list of events, and ' +
        'you can have it sent again.',
      'We write about it again only after it has taken an event.',
    ],
  };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function welcome(agent: string, baseUrl: string): Words {
  return {
    subject: 'Your Work Check account',
    action: { label: 'See your agent and its limits', url: `${baseUrl}/agents` },
    paragraphs: [
      `You have a Work Check account now, and ${agent} may buy paid reviews of work that agents produce.`,
      `A review costs ${toText(price)}. We write when something is paid, when a report is ready, and when money moves.`,
      'You can lower the agent’s limits, pause or revoke it at any time. There is no password: to sign in, you ask for a link by mail.',
      'If this was not you, revoke the agent.',
    ],
  };
}

function blocked(cause: BlockCause, action: Words['action']): Words {
  const { why, next } = blockWords[cause];
  return {
    subject:
      cause === 'card_dispute'
        ? 'A bank disputes a payment: your account is blocked'
        : 'Your account cannot buy for now',
    action,
    paragraphs: [
      `${why} Until this is settled, your agents can buy nothing new.`,
      'Other checks that are paid go on, and every report stays readable.',
      next,
    ],
  };
}

function disowned({ actor, detail }: EventRow, action: Words['action'], baseUrl: string): Words {
  const count = (detail.payments as string[]).length;
  return {
    subject: count === 1 ? 'A payment was not yours' : 'Payments were not yours',
    action,
    paragraphs: [
      `${actor} told us that nobody on your account made ${count === 1 ? 'a payment' : `${count} payments`} by card on a payment link.`,
      'Your agents can buy again, unless another block stands. The card stays blocked here.',
      'From now on, the card page of your payment links opens for members of your account, and only while signed in. Whoever pays from a wallet needs no sign-in.',
      `If nobody on your account told us this, end the sign-ins you do not recognize and write to us: ${writeToUs(baseUrl).url}`,
    ],
  };
}

function limitsChanged(before: GrantTerms, after: GrantTerms): string {
  const amount = (limit: string | null) => (limit === null ? 'no limit' : toText(BigInt(limit)));
  const lines = (
    [
      ['A check', before.per_job_limit_microcents, after.per_job_limit_microcents],
      ['A day', before.daily_limit_microcents, after.daily_limit_microcents],
      ['In total', before.total_limit_microcents, after.total_limit_microcents],
    ] as const
  ).flatMap(([name, from, to]) => {
    const [was, is] = [from, to].map((limit) => (limit === null ? null : String(limit)));
    return was === is ? [] : [`${name}: ${amount(was ?? null)} → ${amount(is ?? null)}`];
  });
  return lines.join('\n') || 'What it may do was widened; its page says how.';
}

function cardText({ brand, last4 }: Record<string, unknown>): string {
  return typeof last4 === 'string'
    ? `the ${capitalized(String(brand ?? ''))} card ending in ${last4}`.replace('  ', ' ')
    : 'a saved card';
}
