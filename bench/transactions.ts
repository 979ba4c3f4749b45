import { randomBytes, randomUUID } from 'node:crypto';
import { perform } from '../server/door/perform.ts';
import { newKey } from '../server/kernel/id.ts';
import { openRuntime } from '../server/open-runtime.ts';
import type { OperationName } from '../server/operations.ts';
import { x402Rail } from '../server/payments/x402/rail.ts';
import { openStablecoins, type Stablecoins } from '../server/payments/x402/stablecoins.ts';
import { PaymentRequired } from '../server/problems/problem.ts';
import { executeJob } from '../server/purchases/work/execute.ts';
import type { Context, Runtime } from '../server/runtime.ts';
import { service } from '../server/service/terms.ts';
import { embeddedAssessor } from '../server/work-check/assessors/embedded.ts';
import { checkWork } from '../server/work-check/check.ts';
import type { Checker } from '../server/work-check/checker.ts';
import { type Arena, buyerOf, clients, type Principal } from './arena.ts';
import { checkRequest, signed } from './http-buyer.ts';
import { perSecond, ratio, spread, table, warmUpSeconds } from './measure.ts';
import type { Effort } from './purchases.ts';
import { buyOverSql } from './sql-buyer.ts';

/** The write transactions of purchases, through `perform` but without HTTP, against SQL by hand; both in this process. */
export async function benchTransactions(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const sql: number[] = [];
  const inProcess: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await arena.onCopy(async ({ pool }) => {
      const buy = (turn: number) => buyOverSql(pool, buyerOf(arena.principals, turn), { reads: 'own' });
      await perSecond(clients, warmUpSeconds, buy);
      sql.push(await perSecond(clients, seconds, buy));
    });
    await arena.onCopy(async ({ env }) => {
      const runtime = withoutCalls(await openRuntime(env, 'web'));
      const buy = (turn: number) => buyInProcess(runtime, buyerOf(arena.principals, turn));
      try {
        await perSecond(clients, warmUpSeconds, buy);
        inProcess.push(await perSecond(clients, seconds, buy));
      } finally {
        await runtime.close();
      }
    });
  }
  return [
    `## The write transactions of a purchase in process, ${clients} clients`,
    table(
      ['', 'purchases/s', 'ratio'],
      [
        ['SQL by hand', spread(sql).text, '1'],
        ['the service, without HTTP and check', spread(inProcess).text, ratio(inProcess, sql)],
      ],
    ),
  ].join('\n');
}

/** The facilitator and the chain agree at once, without being asked. */
function withoutCalls(runtime: Runtime): Runtime {
  if (!runtime.configuration.x402) throw new Error('x402 is not configured');
  const coins: Stablecoins = {
    ...openStablecoins(runtime.configuration.x402),
    refusal: async () => null,
    head: async () => 0n,
    settle: async ({ authorization: { from, to, amount, nonce } }) => {
      const hash = `0x${randomBytes(32).toString('hex')}` as const;
      const logged = { transaction: hash, position: 1, blockNumber: 1n, blockHash: hash, logIndex: 1 };
      return { outcome: 'paid', transfer: { ...logged, from, to, amount, nonce } };
    },
  };
  return { ...runtime, rails: new Map([['x402', x402Rail(coins)]]) };
}

/** The check itself is no transaction: its report is made once, and delivered for every purchase. */
let made: ReturnType<typeof checkWork> | undefined;
const checker: Checker = {
  check: (request, options) => {
    made ??= checkWork(request, { ...options, assessor: embeddedAssessor });
    return made;
  },
  close: async () => {},
};

async function buyInProcess(runtime: Runtime, who: Principal): Promise<void> {
  const ask = <Name extends OperationName>(name: Name, input: object, context: Partial<Context> = {}) =>
    perform(name, { ...contextOf(runtime, who), ...context }, input);
  const quote = await ask('check_work', checkRequest, { idempotencyKey: randomUUID() });
  const { quote_key } = quote.body;
  const { body } = await ask('authorize', { quote_key, terms_version: service.termsVersion });
  const { job_key } = body;
  const payment = { job_key, rail: 'x402' };
  const idempotencyKey = randomUUID();
  const demand = await ask('pay', payment, { idempotencyKey }).catch((error) => error);
  if (!(demand instanceof PaymentRequired)) throw demand;
  await ask('pay', payment, { idempotencyKey, payment: signed(demand.body as never, who.principalKey) });
  await executeJob(runtime, checker, job_key);
  await ask('review', { job_key, decision: 'accept' });
}

function contextOf(runtime: Runtime, who: Principal): Context {
  return {
    runtime,
    now: runtime.clock(),
    requestId: newKey('req'),
    baseUrl: runtime.configuration.baseUrl,
    origin: '127.0.0.1',
    presented: { bearer: who.token, memberSession: null },
    idempotencyKey: null,
    payment: null,
    isVersion1: false,
    signIn: null,
    wait: null,
  };
}
