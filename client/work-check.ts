#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { privateKeyToAccount } from 'viem/accounts';
import { price, service } from '../server/service/terms.ts';
import type { CheckRequest } from '../server/work-check/contract.ts';
import { Buyer } from './buyer.ts';
import { keptIn } from './kept.ts';
import { verifyBundle } from './verify/verify.ts';
import type { PublishedKeys } from './verify-receipt.ts';

const usage = `Usage: work-check COMMAND

register E-MAIL NAME             asks the customer at this address for a grant; waits until they confirm
quote REQUEST.json               a frozen price; the same request again is the same quote
buy REQUEST.json [PURCHASE.json] quotes, authorizes, pays, follows, prints the report and keeps the purchase in a file
follow JOB                       says each state until the report is there
report JOB                       prints the report
review JOB accept|REASON         accepts the report, or disputes it
receipt JOB                      prints the newest receipt
verify PURCHASE.json KEYS.json   checks a purchase without account or network and names the first link that does not
                                 hold; the keys are the seller's (/.well-known/jwks.json), from where you trust them

WORK_CHECK_URL         the service
WORK_CHECK_WALLET_KEY  a private key: signs in with its wallet and pays from it; without it a person pays by card
WORK_CHECK_HOME        where requests, payments and the credential are kept (.work-check)
`;

const say = (line: string) => process.stdout.write(`${line}\n`);
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The commands were given wrongly, or something they need is missing. */
class Misused extends Error {}

function given(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new Misused(`${what} is missing.`);
  return value;
}

const { WORK_CHECK_URL, WORK_CHECK_WALLET_KEY, WORK_CHECK_HOME } = process.env;
const wallet = () => (WORK_CHECK_WALLET_KEY ? privateKeyToAccount(WORK_CHECK_WALLET_KEY as `0x${string}`) : undefined);

function newBuyer(): Buyer {
  const baseUrl = given(WORK_CHECK_URL, 'WORK_CHECK_URL');
  return new Buyer({ baseUrl, kept: keptIn(WORK_CHECK_HOME ?? '.work-check') });
}

/** A buyer that may buy: it has a credential, or a wallet to sign in with. */
async function knownBuyer(): Promise<Buyer> {
  const buyer = newBuyer();
  const own = wallet();
  if (own) await buyer.signIn(own);
  else if (!buyer.isKnown) throw new Misused('Register first, or set WORK_CHECK_WALLET_KEY.');
  return buyer;
}

function requestIn(file: string | undefined): CheckRequest {
  return readJson(given(file, 'REQUEST.json')) as CheckRequest;
}

async function pay(buyer: Buyer, jobKey: string): Promise<void> {
  const own = wallet();
  if (own) {
    await buyer.payByWallet(jobKey, own);
    return;
  }
  const answer = await buyer.payByCard(jobKey);
  if ('continuation_url' in answer) say(`A person pays here: ${answer.continuation_url}`);
}

async function follow(buyer: Buyer, jobKey: string): Promise<string> {
  const { state } = await buyer.follow(jobKey, (job) => say(`${job.job_key} ${job.state}`));
  return state;
}

async function printReport(buyer: Buyer, jobKey: string): Promise<void> {
  const { report } = await buyer.report(jobKey);
  say(report.body);
}

/** Each command with its arguments; resolves to the exit code. */
const commands: Record<string, (...args: (string | undefined)[]) => Promise<number>> = {
  async register(email, name) {
    const input = {
      mode: 'new_customer' as const,
      email: given(email, 'E-MAIL'),
      terms_version: service.termsVersion,
      agent: { name: given(name, 'NAME') },
    };
    const me = await newBuyer().register(input, () => say(`A letter is on its way to ${email}.`));
    say(`Confirmed for account ${me.account_key}.`);
    return 0;
  },
  async quote(file) {
    const request = requestIn(file);
    say(JSON.stringify(await (await knownBuyer()).quote(request, Number(price)), null, 2));
    return 0;
  },
  async buy(file, purchase) {
    const request = requestIn(file);
    const buyer = await knownBuyer();
    const { job_key } = await buyer.authorize(await buyer.quote(request, Number(price)));
    await pay(buyer, job_key);
    const state = await follow(buyer, job_key);
    const kept = purchase ?? `${job_key}.json`;
    writeFileSync(kept, JSON.stringify(await buyer.bundle(job_key, request), null, 1));
    say(`kept in ${kept}`);
    if (state === 'failed' || state === 'canceled') return 1;
    await printReport(buyer, job_key);
    return 0;
  },
  async follow(job) {
    const state = await follow(await knownBuyer(), given(job, 'JOB'));
    return state === 'failed' || state === 'canceled' ? 1 : 0;
  },
  async report(job) {
    await printReport(await knownBuyer(), given(job, 'JOB'));
    return 0;
  },
  async review(job, decision) {
    const jobKey = given(job, 'JOB');
    const how = given(decision, 'accept, or the reason of a dispute,');
    const buyer = await knownBuyer();
    const about = { job_key: jobKey, report_digest: (await buyer.job(jobKey)).report_digest ?? '' };
    const { state } = await buyer.review(
      how === 'accept' ? { ...about, decision: 'accept' } : { ...about, decision: 'dispute', reason: how as never },
    );
    say(`${jobKey} ${state}`);
    return 0;
  },
  async receipt(job) {
    say(JSON.stringify(await (await knownBuyer()).receipt(given(job, 'JOB')), null, 2));
    return 0;
  },
  async verify(purchase, keys) {
    const bundle = readJson(given(purchase, 'PURCHASE.json'));
    const { holds, broken, not_run } = await verifyBundle(bundle, readJson(given(keys, 'KEYS.json')) as PublishedKeys);
    for (const link of holds) say(`holds    ${link}`);
    for (const note of not_run) say(`not run  ${note}`);
    if (broken) say(`BROKEN   ${broken.link}: ${broken.because}`);
    return broken ? 1 : 0;
  },
};

async function run(name = '', ...args: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (!command) throw new Misused(usage);
    return await command(...args);
  } catch (error) {
    const isMisuse = error instanceof Misused;
    process.stderr.write(`${(error as Error).message}\n`);
    return isMisuse ? 2 : 1;
  }
}

process.exitCode = await run(...process.argv.slice(2));
