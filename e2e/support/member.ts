import { makeSignInLink, spendSignInLink } from '../../server/identity/sign-in.ts';
import type { Context } from '../../server/runtime.ts';
import { pageContext } from '../../server/transports/context.ts';
import { sessionCookie } from '../../server/transports/member-session.ts';
import { Client } from './agent.ts';
import type { Service } from './service.ts';

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
    accountKey: string,
    session: { memberKey: string; sessionKey: string },
    email: string,
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
  static async of(service: Service, agent: Client, email = 'owner@example.com'): Promise<Member> {
    return Member.ofAccount(service, (await agent.get('/api/agent/v1/me')).body.account_key, email);
  }

  static async ofAccount(service: Service, accountKey: string, email: string): Promise<Member> {
    const { db, configuration, clock } = service.runtime;
    const from = { origin: '192.0.2.0/24', browser: 'a test' };
    const link = await makeSignInLink(db, configuration.baseUrl, { accountKey, email }, clock());
    const session = await spendSignInLink(db, new URL(link).searchParams.get('link') ?? '', clock(), from);
    if (session === null) throw new Error('the link was spent before');
    const cookie = await sessionCookie(configuration, session);
    return new Member(service, accountKey, session, email, cookie.split(';')[0] ?? '');
  }

  /** The headers of this member's page requests. */
  pageContext(): Context {
    return pageContext(this.#service.runtime, this.#sessionKey, '127.0.0.1');
  }

  identity(): Record<string, string> {
    return { cookie: this.#cookie, origin: this.baseUrl };
  }
}
