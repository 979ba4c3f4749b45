import { expect } from 'vitest';
import { codeOf } from '../../server/identity/registration-secrets.ts';
import { seconds } from '../../server/service/terms.ts';
import type { Agent, Answer } from '../support/agent.ts';
import { newAgent, register } from '../support/customer.ts';
import { About, type Command, expectAnswer, registrationsMax, type World } from './command.ts';
import {
  type Credential,
  confirmed,
  handedOut,
  isLive,
  type Model,
  type Registration,
  released,
  tryCode,
  used,
} from './model.ts';

/** An agent registers for the customer. */
export class Ask implements Command {
  readonly mode: Registration['mode'];
  constructor(mode: Registration['mode']) {
    this.mode = mode;
  }
  check({ registrations }: Readonly<Model>): boolean {
    return registrations.length < registrationsMax;
  }
  async run(model: Model, world: World): Promise<void> {
    const answer = await register(newAgent(world.service), world.customer.email, { mode: this.mode });
    expectAnswer(world, 'register', answer, '202');
    const { registration_key, agent_key, claim_token, user_code } = answer.body;
    model.registrations.push({
      mode: this.mode,
      key: registration_key,
      agentKey: agent_key,
      claimToken: claim_token,
      userCode: user_code,
      askedAt: model.now(),
      state: 'pending',
      mailed: false,
      codeTries: 0,
      claimUntil: null,
      revoked: false,
      credentials: [],
    });
  }
  toString = () => `Ask(${this.mode})`;
}

/** Agents claim with the letter's code, a wrong one, or none; several at once. */
export class Claim extends About {
  readonly code: 'right' | 'wrong' | null;
  readonly times: number;
  constructor(index: number, code: 'right' | 'wrong' | null, times: number) {
    super(index);
    this.code = code;
    this.times = times;
  }
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const { service } = world;
    const right = codeOf(registration.key, service.runtime.configuration.keyring.first);
    const code = this.code === 'right' ? right : right.replace(/./, (digit) => `${9 - Number(digit)}`);
    const answers = await Promise.all(
      Array.from({ length: this.times }, () =>
        newAgent(service).post(`/api/agent/v1/registrations/${registration.key}/claim`, {
          claim_token: registration.claimToken,
          ...(this.code ? { code } : {}),
        }),
      ),
    );
    answers.sort((one, other) => rank(other) - rank(one));
    for (const answer of answers) this.#explain(model, world, registration, answer);
  }
  #explain(model: Model, world: World, registration: Registration, answer: Answer): void {
    const refused = claimRefusal(model, registration);
    if (refused) expectAnswer(world, 'claim', answer, refused);
    else if (registration.state === 'confirmed') this.#explainSecret(model, world, registration, answer);
    else if (!this.code) expectAnswer(world, 'claim', answer, '202');
    else {
      const outcome = tryCode(model, registration, this.code === 'right');
      if (outcome === 'yes') {
        confirmed(model, registration);
        this.#explainSecret(model, world, registration, answer);
      } else {
        expectAnswer(world, 'claim', answer, '422 code_invalid');
        expect(answer.body.attempts_remaining).toBe(outcome);
      }
    }
  }
  #explainSecret(model: Model, world: World, registration: Registration, answer: Answer): void {
    expectAnswer(world, 'claim', answer, '200');
    model.accountKey ??= answer.body.account_key;
    expect(answer.body).toMatchObject({ account_key: model.accountKey, agent_key: registration.agentKey });
    released(model, registration, answer.body);
  }
}

/** Why nothing can be claimed any more, with any code. */
function claimRefusal({ now }: Model, { state, claimUntil, askedAt }: Registration): string | null {
  if (state === 'declined') return '403 registration_declined';
  if (state === 'released') return '410 credential_already_released';
  const until = claimUntil ?? askedAt + seconds.registration * 1000;
  return until <= now() ? '410 registration_expired' : null;
}

/** Which of several simultaneous answers came first: the one that succeeded, or left the most tries. */
const rank = ({ status, body }: Answer): number => (status === 200 ? 100 : (body.attempts_remaining ?? 0));

/** A request with any credential that the agent ever got, newest first. */
abstract class WithCredential extends About {
  readonly which: number;
  constructor(index: number, which: number) {
    super(index);
    this.which = which;
  }
  override matters(model: Readonly<Model>): boolean {
    return this.registrationIn(model).credentials.length > 0;
  }
  credentialOf({ credentials }: Registration): Credential {
    const credential = credentials.at(-1 - (this.which % credentials.length));
    if (!credential) throw new Error('checked before');
    return credential;
  }
  /** An agent that presents it. */
  holder(world: World, credential: Credential): Agent {
    const agent = newAgent(world.service);
    agent.token = credential.token;
    return agent;
  }
}

/** The agent reads its own account. */
export class Use extends WithCredential {
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const credential = this.credentialOf(registration);
    const answer = await this.holder(world, credential).get('/api/agent/v1/me');
    const isLetIn = isLive(registration, credential, model.now());
    expectAnswer(world, 'use', answer, isLetIn ? '200' : '401 invalid_token');
    if (!isLetIn) return;
    expect(answer.body).toMatchObject({
      account_key: model.accountKey,
      credential: { credential_key: credential.key },
    });
    used(model, registration, credential);
  }
}

/** The agent rotates its credential. */
export class Rotate extends WithCredential {
  readonly reason: 'monthly' | 'compromised';
  readonly grace: number;
  constructor(index: number, which: number, reason: 'monthly' | 'compromised', grace: number) {
    super(index, which);
    this.reason = reason;
    this.grace = grace;
  }
  async act(model: Model, world: World, registration: Registration): Promise<void> {
    const credential = this.credentialOf(registration);
    const answer = await this.holder(world, credential).post('/api/agent/v1/credentials/rotate', {
      reason: this.reason,
      grace_period_seconds: this.grace,
    });
    const isLetIn = isLive(registration, credential, model.now());
    expectAnswer(world, `rotate ${this.reason}`, answer, isLetIn ? '201' : '401 invalid_token');
    if (!isLetIn) return;
    used(model, registration, credential);
    if (this.reason === 'compromised') for (const one of registration.credentials) one.revoked = true;
    else credential.endsAt = Math.min(credential.endsAt, model.now() + seconds.rotationGraceMax * 1000);
    handedOut(model, registration, answer.body, { key: credential.key, graceSeconds: this.grace });
  }
}
