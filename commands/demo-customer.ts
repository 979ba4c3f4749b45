/** The demo's customer: confirms an agent from the mailbox and pays on the hosted page, in a real browser. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright';
import { controlClient } from '../sandbox/control-client.ts';
import { findChromium } from './chromium.ts';

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 250;
const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvc: '123', name: 'Ines Moreno' };

export class DemoCustomer {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #sandboxUrl: string;
  #busy: Promise<void> = Promise.resolve();

  private constructor(browser: Browser, page: Page, sandboxUrl: string) {
    this.#browser = browser;
    this.#page = page;
    this.#sandboxUrl = sandboxUrl;
  }

  static async arrive(sandboxUrl: string): Promise<DemoCustomer> {
    const { executablePath, args, env } = await findChromium();
    const browser = await chromium.launch({ executablePath, args: [...args], env });
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return new DemoCustomer(browser, page, sandboxUrl);
  }

  /** Opens the agent's letter and presses its button. */
  confirm(email: string): Promise<void> {
    return this.#afterTheRest(async () => {
      await this.#page.goto(await this.#linkFor(email));
      await this.#page.getByRole('button', { name: 'Confirm' }).click();
      await this.#page.getByText('Your agent may buy checks').waitFor();
    });
  }

  /** Signed in by the confirmation, pays on the provider's page, ticks the box that keeps the card, and comes back. */
  pay(continuationUrl: string, email: string): Promise<void> {
    return this.#afterTheRest(() => this.#payOn(continuationUrl, email));
  }

  async #payOn(continuationUrl: string, email: string): Promise<void> {
    const page = this.#page;
    await page.goto(continuationUrl);
    await page.getByRole('button', { name: /by card/ }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Card number').fill(CARD.number);
    await page.getByLabel('Expires').fill(CARD.expiry);
    await page.getByLabel('CVC').fill(CARD.cvc);
    await page.getByLabel('Name on the card').fill(CARD.name);
    await page.getByLabel(/Save this card/).check();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.getByRole('heading', { name: /collected/ }).waitFor();
  }

  async leave(): Promise<void> {
    await this.#busy;
    await this.#browser.close();
  }

  /**
   * Wait until the page has loaded: the agent continues as soon as the service knows, but the customer has one page.
   */
  #afterTheRest(act: () => Promise<void>): Promise<void> {
    const done = this.#busy.then(act);
    this.#busy = done.catch(() => {});
    return done;
  }

  /** The first address in the letter that asks for a decision. */
  async #linkFor(email: string): Promise<string> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const letters = await controlClient(this.#sandboxUrl).mail(email);
      const letter = letters.find((one) => one.subject.includes('Confirm an agent'));
      const link = /https?:\S+/.exec(letter?.text ?? '')?.[0] ?? '';
      if (URL.canParse(link)) return link;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`no letter came to ${email}`);
  }
}
