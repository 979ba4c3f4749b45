import { instantText } from '../kernel/instant-text.ts';
import { toText } from '../kernel/money.ts';
import { quoted, type Words } from '../mail/letter.ts';
import type { MemberRole } from '../operation/member-roles.ts';
import { type RailName, railsCovered, railWords } from '../payments/contract.ts';
import { lasting, price } from '../service/terms.ts';
import { browserName } from './browser-name.ts';
import type { GrantTerms } from './contract.ts';

/** The letters about who may buy for whom. Pure. */

/** The messages of these letters; `due-letters.ts` decides what is due. */
export type IdentityLetter =
  | { kind: 'registration'; registration_key: string }
  | { kind: 'sign_in'; request_key: string; email: string; next: string; origin: string }
  /** An operator made a sign-in link for this address. */
  | { kind: 'operator_link'; request_key: string; account_key: string; email: string }
  /** A member signed in with a browser that is new to them. */
  | { kind: 'new_browser'; session_key: string }
  /** Somebody is asked to become a member. */
  | { kind: 'invitation'; invitation_key: string }
  | { kind: 'notice'; registration_key: string; account_key: string; decided_by: string };

/** The facts of a registration that letters state. */
export interface RegistrationFacts {
  agentName: string;
  agentSoftware: string | null;
  grant: GrantTerms;
  termsVersion: string;
  origin: string;
  /** The rails that work now. */
  rails: readonly RailName[];
  at: Date;
  until: Date;
}

/** The letter with the confirmation link and code. */
export function confirmationLetter(
  asked: RegistrationFacts,
  confirm: { url: string; code: string; codeUntil: Date; termsUrl: string },
): Words {
  return {
    subject: 'Confirm an agent for Work Check',
    action: { label: 'See the request and decide', url: confirm.url },
    paragraphs: [
      `An agent that calls itself ${quoted(asked.agentName)} wants to buy paid reviews of work that agents produce, for you.`,
      limitsText(asked),
      `Nothing is charged now. A review, called a check here, costs ${toText(price)}. You can lower these limits before you confirm, and pause or revoke the agent at any time.`,
      `Open the link to confirm or decline. Opening it decides nothing. It works until ${instantText(asked.until)}.`,
      `Or read this code to your agent: ${confirm.code.slice(0, 3)} ${confirm.code.slice(3)}. It confirms the same request and works ` +
        `once, until ${instantText(confirm.codeUntil)}. Give it to nobody else.`,
      `Confirming accepts the terms ${asked.termsVersion}: ${confirm.termsUrl}`,
      originText(asked),
      'If this was not you, do nothing: no account is made and the agent gets nothing. To stop letters from where ' +
        'it came from, too, open the link and say that it was not you.',
    ],
  };
}

/** To an address with an account, when an agent asks for a new one. */
export function hasAccountLetter(asked: RegistrationFacts, url: string): Words {
  return {
    subject: 'An agent asked for a new Work Check account',
    action: { label: 'Connect an agent to your account', url },
    paragraphs: [
      `An agent that calls itself ${quoted(asked.agentName)} asked for an account with this address. You already ` +
        'have one, so nothing was created.',
      'If this is your agent, tell it: “I already have an account, ask to be connected.” Then open the link and type the ' +
        'code that the agent shows you.',
      originText(asked),
      'If this was not you, do nothing: the agent gets nothing.',
    ],
  };
}

/** To a member, when an agent asks to connect. */
export function connectLetter(asked: RegistrationFacts, url: string): Words {
  return {
    subject: 'An agent asks to be connected to your Work Check account',
    action: { label: 'Connect an agent', url },
    paragraphs: [
      `An agent that calls itself ${quoted(asked.agentName)} asks to buy paid reviews of agent work on your account.`,
      limitsText(asked),
      'If you started this, open the link, sign in, and type the code that your agent shows you. You can lower the ' +
        'limits, approve or deny there.',
      originText(asked),
      'If you did not start this, do nothing: the agent gets nothing.',
    ],
  };
}

function limitsText({ grant, rails }: Pick<RegistrationFacts, 'grant' | 'rails'>): string {
  const total =
    grant.total_limit_microcents === null
      ? 'There is no total limit; you can set one.'
      : `It may spend ${toText(BigInt(grant.total_limit_microcents))} in total.`;
  const covered = railsCovered(grant.payment_methods);
  const absent = covered.flatMap((name) => (rails.includes(name) ? [] : (railWords[name].absent ?? [])));
  const may = [
    ...covered.filter((name) => rails.includes(name)).map((name) => railWords[name].may),
    ...(grant.review_authority ? ['accept or dispute reports'] : []),
  ];
  return (
    `It may spend up to ${toText(BigInt(grant.per_job_limit_microcents))} a check and ` +
    `${toText(BigInt(grant.daily_limit_microcents))} a day. ${total}\nIt may ${listText(may) || 'not pay or review'}.` +
    absent.map((words) => `\n${words}`).join('')
  );
}

/** `pay by card, pay from a wallet and accept reports`. */
function listText(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length > 1 ? `${parts.slice(0, -1).join(', ')}, and ${last}` : last;
}

function originText(asked: RegistrationFacts): string {
  const software = asked.agentSoftware ? ` Software: ${quoted(asked.agentSoftware)}.` : '';
  const unverified = asked.agentSoftware ? 'Neither name was verified.' : 'The name was not verified.';
  return `Asked ${instantText(asked.at)} from the network ${asked.origin}.${software} ${unverified}`;
}

/** The sign-in letter: a link per account. */
export function signInLetter(links: readonly { account: string; url: string }[]): Words {
  const [first, ...others] = links;
  return {
    subject: 'Your sign-in link for Work Check',
    action: { label: `Sign in to ${first?.account ?? 'your account'}`, url: first?.url ?? '' },
    paragraphs: [
      `The link signs you in to ${first?.account ?? 'your account'}. It works once, for ${lasting('signInLink')}. It does ` +
        'nothing until you press the button on its page.',
      ...others.map(({ account, url }) => `For ${account}: ${url}`),
      'If you did not ask for it, do nothing.',
    ],
  };
}

/** To somebody without an account, whom an OAuth client sent here. */
export function newcomerLetter(url: string, termsUrl: string): Words {
  return {
    subject: 'Open your Work Check account',
    action: { label: 'Open an account and sign in', url },
    paragraphs: [
      'Somebody asked to sign in with this address, to connect an assistant that buys paid reviews of agent work. The ' +
        'address has no account yet.',
      `The link opens one and leads back to the assistant, whose limits you then set. It works once, for ${lasting('signInLink')}. It ` +
        'does nothing until you press the button on its page. Nothing is charged.',
      `An account is under these terms: ${termsUrl}`,
      'If this was not you, do nothing: no account is made.',
    ],
  };
}

/** To owners, when an operator made a sign-in link. */
export function operatorLinkLetter(email: string, url: string): Words {
  return {
    subject: 'A sign-in link was made for your Work Check account',
    action: { label: 'See who is signed in', url },
    paragraphs: [
      `The operator of this service made a link that signs ${email} in to your account. It works once, for ${lasting('signInLink')}.`,
      `If nobody on your account asked for it, end the sign-ins you do not recognize and tell the operator: ${new URL('/contact', url)}`,
    ],
  };
}

/** To a member who signed in with a browser that is new to them. */
export function newBrowserLetter(
  { browser, origin, created_at }: { browser: string | null; origin: string; created_at: Date },
  url: string,
): Words {
  const name = browser === null ? null : browserName(browser);
  // What is no name of ours is the browser's own word.
  const used =
    name === null ? 'a browser without a name' : name === browser ? `a browser called ${quoted(name)}` : name;
  return {
    subject: 'New browser signed in to your Work Check account',
    action: { label: 'End this sign-in', url },
    paragraphs: [
      `Somebody signed in to Work Check as you, with ${used}, on ${instantText(created_at)}.`,
      `It came from the network ${origin}. We do not know this browser as yours: it is new, or its cookies were deleted.`,
      'If this was you, there is nothing to do.',
      'If it was not, open the link and end the sign-in; you need not sign in for that. Signing in takes a link from your ' +
        'mail, so somebody else can read it: change the password of your mailbox, too.',
    ],
  };
}

/** To somebody who is asked to become a member. */
export function invitationLetter(
  { inviter, role, expires_at }: { inviter: string; role: MemberRole; expires_at: Date },
  url: string,
): Words {
  return {
    subject: 'An invitation to a Work Check account',
    action: { label: 'See the invitation', url },
    paragraphs: [
      `${inviter} invites you to a Work Check account, on which agents buy paid reviews of work.`,
      role === 'approver'
        ? 'You could read every report, accept or dispute it, approve purchases and pause agents.'
        : 'You could read every report and receipt.',
      `The invitation ends on ${instantText(expires_at)}. If you do not know who wrote, do nothing.`,
    ],
  };
}

/** To every member, about one's decision. */
export function decisionLetter(asked: RegistrationFacts, approved: boolean, by: string, url: string): Words {
  const name = quoted(asked.agentName);
  return {
    subject: approved
      ? 'An agent was connected to your Work Check account'
      : 'An agent was denied for your Work Check account',
    action: { label: 'See the agents of the account', url },
    paragraphs: approved
      ? [
          `${by} let an agent that calls itself ${name} buy checks on your account.`,
          'You can lower its limits, pause or revoke it at any time.',
          originText(asked),
        ]
      : [`${by} denied an agent that calls itself ${name}. It got nothing.`, originText(asked)],
  };
}
