import { expect } from 'vitest';
import { codeOf, linkOf } from '../../server/identity/registration-secrets.ts';
import { newAgent } from '../support/customer.ts';
import { codeIn } from '../support/letter.ts';
import { Member } from '../support/member.ts';
import { About, type Command, expectAnswer, type World } from './command.ts';
import { confirmed, hasExpired, isConnected, type Model, type Registration } from './model.ts';

/** The worker writes the due letters. Only an address without an account gets a code. */
export class Mail implements Command {
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    const { first } = world.service.runtime.configuration.keyring;
    const letters = await world.customer.letters();
    const codes = new Set(letters.map(({ text }) => codeIn(text)));
    for (const registration of model.registrations) {
      if (registration.mailed || !codes.has(codeOf(registration.key, first))) continue;
      expect([registration.mode, registration.state, hasExpired(registration, model.now()), model.accountKey]).toEqual([
        'new_customer',
        'pending',
        false,
        null,
      ]);
      registration.mailed = true;
    }
  }
  toString = () => 'Mail()';
}

/** Somebody presses a button on the page of the letter's link. */
export class FollowLink extends About {
  readonly decision: 'confirm' | 'decline';
  constructor(index: number, decision: 'confirm' | 'decline') {
    super(index);
    this.decision = decision;
  }
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const link = linkOf(registration.key, world.service.runtime.configuration.keyring.first);
    const answer = await newAgent(world.service).post('/api/agent/v1/confirmations/decision', {
      link,
      decision: this.decision,
    });
    const wanted = this.#wanted(model, registration);
    expectAnswer(world, this.decision, answer, wanted);
    if (wanted !== '200' || registration.state !== 'pending') return;
    if (this.decision === 'decline') registration.state = 'declined';
    else {
      confirmed(model, registration);
      const { rows } = await world.service.database.pool.query('select account_key from members where email = $1', [
        world.customer.email,
      ]);
      expect(rows).toHaveLength(1);
      model.accountKey = rows[0].account_key;
    }
  }
  #wanted(model: Model, registration: Registration): string {
    if (registration.mode === 'link_existing') return '404 not_found';
    if (standsAs(registration, this.decision === 'confirm')) return '200';
    if (registration.state !== 'pending') return '409 action_not_allowed';
    if (hasExpired(registration, model.now())) return '410 registration_expired';
    return model.accountKey === null ? '200' : '409 action_not_allowed';
  }
}

/** Whether the same decision was made before: repeating it gets the same answer. */
const standsAs = (registration: Registration, yes: boolean): boolean =>
  yes ? isConnected(registration) : registration.state === 'declined';

/** A member of the account who has just signed in. */
const memberOf = ({ accountKey }: Model, { service, customer }: World): Promise<Member> =>
  Member.ofAccount(service, accountKey ?? '', customer.email);

const hasAccount = ({ accountKey }: Readonly<Model>): boolean => accountKey !== null;

/** A member approves or denies an agent that asks to connect. */
export class Decide extends About {
  override matters = hasAccount;
  readonly decision: 'approve' | 'deny';
  constructor(index: number, decision: 'approve' | 'deny') {
    super(index);
    this.decision = decision;
  }
  /** A registration that asks for a new account when there is one. */
  override registrationIn({ registrations }: Pick<Model, 'registrations'>): Registration {
    const asking = registrations.filter(({ mode }) => mode === 'link_existing');
    return super.registrationIn({ registrations: asking.length > 0 ? asking : registrations });
  }
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const member = await memberOf(model, world);
    const answer = await member.post(`/api/agent/v1/connections/${registration.key}/decision`, {
      user_code: registration.userCode,
      decision: this.decision,
    });
    const wanted = this.#wanted(model, registration);
    expectAnswer(world, this.decision, answer, wanted);
    if (wanted !== '200' || registration.state !== 'pending') return;
    if (this.decision === 'deny') registration.state = 'declined';
    else confirmed(model, registration);
  }
  #wanted(model: Model, registration: Registration): string {
    if (registration.mode === 'new_customer') return '404 not_found';
    if (standsAs(registration, this.decision === 'approve')) return '200';
    if (registration.state !== 'pending') return '409 action_not_allowed';
    return hasExpired(registration, model.now()) ? '410 registration_expired' : '200';
  }
}

/** A member's answer about an agent of the account; none before it is connected. */
const connectedOr404 = (registration: Registration, answer: string): string =>
  isConnected(registration) ? answer : '404 not_found';

/** A member lets an agent fetch another credential. */
export class ReleaseAgain extends About {
  override matters = hasAccount;
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const member = await memberOf(model, world);
    const answer = await member.post(`/api/agent/v1/agents/${registration.agentKey}/release`);
    const wanted = connectedOr404(registration, registration.revoked ? '409 action_not_allowed' : '200');
    expectAnswer(world, 'release again', answer, wanted);
    if (wanted !== '200') return;
    const isOpen = registration.state === 'confirmed' && (registration.claimUntil ?? 0) > model.now();
    if (!isOpen) confirmed(model, registration);
  }
}

/** A member revokes an agent for good. */
export class Revoke extends About {
  override matters = hasAccount;
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const member = await memberOf(model, world);
    const answer = await member.post(`/api/agent/v1/agents/${registration.agentKey}/revoke`);
    const wanted = connectedOr404(registration, '200');
    expectAnswer(world, 'revoke', answer, wanted);
    if (wanted !== '200') return;
    registration.revoked = true;
    registration.claimUntil = Math.min(registration.claimUntil ?? 0, model.now());
  }
}
