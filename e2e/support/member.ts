import { randomUUID } from 'node:crypto';
import { makeSignInLink, spendSignInLink } from '../../server/identity/sign-in.ts';
import type { Context } from '../../server/runtime.ts';
import { pageContext } from '../../server/transports/context.ts';
import { sessionCookie } from '../../server/transports/member-session.ts';
import { Client } from './agent.ts';
import { Customer } from './customer.ts';
import type { Service } from './service.ts';

/** What the browser of each address keeps between its sign-ins. */
const marksOf = new Map<string, string>();

/** A member of an account, at a page of the service in a browser. */
export class Member extends Client {
  readonly accountKey: string;
  readonly memberKey: string;
  readonly email: string;
  readonly #service: Service;
  readonly #sessionKey: string;
  readonly #cookie: string;

  private constructor(
    service: Service,
    { accountKey, email }: { accountKey: string; email: string },
    session: { memberKey: string; sessionKey: string },
    cookie: string,
  ) {
    super(service.baseUrl);
    this.accountKey = accountKey;
    this.memberKey = session.memberKey;
    this.email = email;
    this.#service = service;
    this.#sessionKey = session.sessionKey;
    this.#cookie = cookie;
  }

  /** A signed-in member of the account that an agent buys for. */
  static async of(service: Service, agent: Client, email?: string): Promise<Member> {
    const { account_key } = (await agent.get('/api/agent/v1/me')).body;
    const { rows } = await service.database.pool.query<{ email: string }>(
      "select email from members where account_key = $1 and role = 'owner' and removed_at is null",
      [account_key],
    );
    // An address owns one account.
    const owner = rows[0]?.email ?? `owner-of-${account_key.toLowerCase()}@example.com`;
    return Member.ofAccount(service, account_key, email ?? owner);
  }

  static async ofAccount(service: Service, accountKey: string, email: string): Promise<Member> {
    const { db, configuration, clock } = service.runtime;
    const from = { origin: '192.0.2.0/24', browser: 'a test', marks: marksOf.get(email) ?? null };
    const link = await makeSignInLink(db, configuration.baseUrl, { accountKey, email }, clock());
    const token = new URL(link).searchParams.get('link') ?? '';
    const session = await spendSignInLink(service.runtime, token, clock(), from);
    if (session === null) throw new Error('the link was spent before');
    marksOf.set(email, session.marks);
    const cookie = await sessionCookie(configuration, session);
    return new Member(service, { accountKey, email }, session, cookie.split(';')[0] ?? '');
  }

  /** The headers of this member's page requests. */
  pageContext(): Context {
    return pageContext(this.#service.runtime, this.#sessionKey, '127.0.0.1');
  }

  identity(): Record<string, string> {
    return { cookie: this.#cookie, origin: this.baseUrl };
  }
}

/** The link of an invitation that an owner just sent to somebody new. */
export async function linkOfInvited(
  service: Service,
  owner: Member,
  { role = 'reader', email = `${randomUUID()}@example.com` }: { role?: string; email?: string } = {},
): Promise<string> {
  await owner.post('/api/agent/v1/members/invitations', { email, role });
  const { text } = await new Customer(service, email).newestLetter();
  return new URL(/http\S+/.exec(text)?.[0] ?? '').searchParams.get('link') ?? '';
}
