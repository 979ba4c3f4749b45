import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { seconds } from '../../server/service/terms.ts';
import { type Command, refusal } from './command.ts';
import type { Grant, Model } from './model.ts';
import type { World } from './world.ts';

/** A grant change on the wire. */
function onTheWire({ paysWithX402, perJob, daily, total, governedRefs, mayReview }: Partial<Grant>): object {
  return {
    ...(paysWithX402 === undefined ? {} : { payment_methods: paysWithX402 ? ['x402'] : [] }),
    ...(perJob === undefined ? {} : { per_job_limit_microcents: perJob }),
    ...(daily === undefined ? {} : { daily_limit_microcents: daily }),
    ...(total === undefined ? {} : { total_limit_microcents: total }),
    ...(governedRefs === undefined ? {} : { governed_refs: governedRefs }),
    ...(mayReview === undefined ? {} : { review_authority: mayReview }),
  };
}

/** Whether a change gives the agent more power. */
function raises({ grant }: Model, change: Partial<Grant>): boolean {
  const amount = (value: Grant[keyof Grant]) => (value === null ? Number.POSITIVE_INFINITY : Number(value));
  return Object.entries(change).some(([name, value]) => amount(value) > amount(grant[name as keyof Grant]));
}

/** A member changes the grant. Raising it needs a fresh sign-in. */
export class ChangeGrant implements Command {
  readonly change: Partial<Omit<Grant, 'paused'>>;
  constructor(change: Partial<Omit<Grant, 'paused'>>) {
    this.change = change;
  }
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    const needsSignIn = raises(model, this.change) && model.now() >= world.memberSince + seconds.freshSignIn * 1000;
    const answer = await world.decide('grant', onTheWire(this.change));
    if (needsSignIn) {
      expect(refusal(answer)).toEqual([403, 'fresh_sign_in_required']);
      await world.signInMember();
      expect((await world.decide('grant', onTheWire(this.change))).status).toBe(200);
    } else expect(answer.status).toBe(200);
    Object.assign(model.grant, this.change);
    await world.observeAll(model);
  }
  toString = () => `ChangeGrant(${JSON.stringify(this.change)})`;
}

/** A member pauses or resumes the agent. */
export class Pause implements Command {
  readonly paused: boolean;
  constructor(paused: boolean) {
    this.paused = paused;
  }
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    const goesOn = model.grant.paused && !this.paused;
    if (goesOn && model.now() >= world.memberSince + seconds.freshSignIn * 1000) {
      const refused = await world.decide('pause', { paused: false });
      expect(refusal(refused)).toEqual([403, 'fresh_sign_in_required']);
      await world.signInMember();
    }
    const answer = await world.decide('pause', { paused: this.paused });
    expect([answer.status, answer.body.grant.paused]).toEqual([200, this.paused]);
    model.grant.paused = this.paused;
    await world.observeAll(model);
  }
  toString = () => `Pause(${this.paused})`;
}

/** A member adds a document for checks to use. */
export class AddSource implements Command {
  check = () => true;
  async run(model: Model, world: World): Promise<void> {
    const text = 'The refund window is 14 days.';
    const answer = await world.member.post('/api/agent/v1/sources', { name: `Handbook ${randomUUID()}`, text });
    expect(answer.status).toBe(201);
    model.sourceKeys.push(answer.body.source_key);
  }
  toString = () => 'AddSource()';
}

/** A member removes the newest document. */
export class RemoveSource implements Command {
  check(model: Readonly<Model>): boolean {
    return model.sourceKeys.length > 0;
  }
  async run(model: Model, world: World): Promise<void> {
    const removed = await world.member.send('DELETE', `/api/agent/v1/sources/${model.sourceKeys.pop()}`);
    expect(removed.status).toBe(200);
  }
  toString = () => 'RemoveSource()';
}
