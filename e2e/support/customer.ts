import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { controlClient } from '../../sandbox/control-client.ts';
import type { IdentityLetter } from '../../server/identity/letters.ts';
import { sendLetter } from '../../server/mail/send-letter.ts';
import { letterQueue } from '../../server/queue/queue.ts';
import { letters } from '../../server/worker/letters.ts';
import { Agent, type Answer } from './agent.ts';
import { codeIn, linkIn, registrationFor } from './letter.ts';
import type { Service } from './service.ts';

/** Takes letter messages from the queue, as a worker does. */
export async function queuedLetters({ runtime }: Service): Promise<IdentityLetter[]> {
  const messages = await runtime.queue.boss.fetch<IdentityLetter>(letterQueue, { batchSize: 500 });
  const ids = messages.map(({ id }) => id);
  if (ids.length > 0) await runtime.queue.boss.complete(letterQueue, ids);
  return messages.map(({ data }) => data);
}

/** Leaves a letter in the folder of `npm run letters`, which sets `LETTERS`; the newest of each subject stays. */
function keepForALook({ subject, text, html }: { subject: string; text: string; html: string }): void {
  const folder = process.env.LETTERS;
  if (!folder) return;
  const name = subject.replaceAll(/[^\w]+/g, '-').toLowerCase();
  writeFileSync(path.join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}`);
  writeFileSync(path.join(folder, `${name}.html`), html);
}

/** A person with a mailbox, as an agent's customer. */
export class Customer {
  readonly email: string;
  readonly #service: Service;

  constructor(service: Service, email = `${randomUUID()}@example.com`) {
    this.#service = service;
    this.email = email;
  }

  /** Received letters, newest first. */
  async letters(): Promise<{ subject: string; text: string; html: string }[]> {
    for (const message of await queuedLetters(this.#service)) await sendLetter(this.#service.runtime, letters, message);
    const received = await controlClient(this.#service.sandbox.controlUrl).mail(this.email);
    for (const letter of received) keepForALook(letter);
    return received;
  }

  /** The newest letter's link token and six digits. */
  async newestLetter(): Promise<{ text: string; html: string; subject: string; link: string; code: string }> {
    const [letter] = await this.letters();
    if (!letter) throw new Error(`no letter came to ${this.email}`);
    return { ...letter, link: linkIn(letter.text), code: codeIn(letter.text) };
  }
}

/** An agent without a credential. */
export function newAgent(service: Service): Agent {
  return new Agent(service.baseUrl, `0x${'1'.repeat(64)}`);
}

/** Registers for the person at this address. */
export function register(agent: Agent, email: string, changes: Record<string, unknown> = {}): Promise<Answer> {
  return agent.post('/api/agent/v1/registrations', registrationFor(email, changes));
}

/** Claims the credential of a registration, with the code if there is one. */
export function claim(agent: Agent, registration: Answer, code?: string): Promise<Answer> {
  const { registration_key, claim_token } = registration.body;
  return agent.post(`/api/agent/v1/registrations/${registration_key}/claim`, {
    claim_token,
    ...(code === undefined ? {} : { code }),
  });
}

/** An agent whose customer confirmed it by code; its credential is unused. */
export async function connectedAgent(
  service: Service,
  changes: Record<string, unknown> = {},
): Promise<{ agent: Agent; customer: Customer; registration: Answer; released: Answer }> {
  const customer = new Customer(service);
  const agent = newAgent(service);
  const registration = await register(agent, customer.email, changes);
  const { code } = await customer.newestLetter();
  const released = await claim(agent, registration, code);
  agent.token = released.body.credential;
  return { agent, customer, registration, released };
}
