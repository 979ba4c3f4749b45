// The x402 facilitator over HTTP: GET /supported, POST /verify, POST /settle, and its fault switches under /sandbox/.
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { generatePrivateKey } from 'viem/accounts';
import { z } from 'zod';
import { facilitatorAccounts } from '../chain/accounts.ts';
import { type FaultQueue, faultQueue, type Gate, gate } from '../fault-queue.ts';
import { type Answer, BRAND, type Call, Refusal, type Routes, readBody, serve } from '../http.ts';
import { type Fault, faultSchema } from './faults.ts';
import { settlementRecord } from './settlements.ts';
import { createSigner, type SettlementTrace, settlementTrace } from './signer.ts';

/** The chains it settles on, by chain id, with the JSON-RPC address of each. */
export type NodeUrls = Readonly<Record<string, string>>;

type Desk = {
  x402: x402Facilitator;
  readonly faults: FaultQueue<Fault>;
  readonly holds: Gate;
  readonly record: ReturnType<typeof settlementRecord>;
};

const paymentSchema = z.looseObject({
  paymentPayload: z.looseObject({ payload: z.looseObject({}) }),
  paymentRequirements: z.looseObject({ network: z.string(), asset: z.string() }),
});

const SETTLEMENTS_LISTED = 1_000;

/** Starts the facilitator on a loopback port. Rejects with a sentence when the port is taken. */
export function startFacilitator(port: number, nodeUrls: NodeUrls): Promise<Server> {
  const desk: Desk = {
    x402: createScheme(nodeUrls),
    faults: faultQueue<Fault>(),
    holds: gate(),
    record: settlementRecord(),
  };
  return serve('facilitator', port, {
    'GET /supported': () =>
      desk.faults.take(({ on }) => on === 'supported') ? internalError() : { json: desk.x402.getSupported() },
    'POST /verify': (call) => verify(desk, call),
    'POST /settle': (call) => settle(desk, call),
    ...controlRoutes(desk, nodeUrls),
  });
}

/** Forgets everything: no pending settlements, nothing cached. */
function createScheme(nodeUrls: NodeUrls): x402Facilitator {
  const accounts = facilitatorAccounts();
  const x402 = new x402Facilitator();
  for (const [chainId, nodeUrl] of Object.entries(nodeUrls)) {
    const signer = createSigner(Number(chainId), nodeUrl, accounts);
    x402.register(`eip155:${Number(chainId)}`, new ExactEvmScheme(signer, { simulateInSettle: true }));
  }
  return x402;
}

function controlRoutes(desk: Desk, nodeUrls: NodeUrls): Routes {
  const state = () => ({ json: { sandbox: BRAND, faults: desk.faults.list(), held: desk.holds.held() } });
  return {
    'GET /sandbox/faults': state,
    'POST /sandbox/faults': (call) => {
      desk.faults.add(readBody(faultSchema, call));
      return state();
    },
    'DELETE /sandbox/faults': () => {
      desk.faults.clear();
      desk.holds.release();
      return state();
    },
    'POST /sandbox/release': () => ({ json: { sandbox: BRAND, released: desk.holds.release() } }),
    'POST /sandbox/restart': () => {
      desk.x402 = createScheme(nodeUrls);
      return { json: { sandbox: BRAND, restarted: true } };
    },
    'GET /sandbox/settlements': ({ query }) => {
      const settlements = desk.record.list({
        payer: query.get('payer') ?? undefined,
        nonce: query.get('nonce') ?? undefined,
      });
      return { json: { settlements: settlements.slice(0, SETTLEMENTS_LISTED), total: settlements.length } };
    },
  };
}

async function verify(desk: Desk, call: Call): Promise<Answer> {
  const { payload, requirements } = readPayment(call);
  const settlement = desk.record.find(payload, requirements);
  settlement.verify_calls += 1;
  const payer = settlement.payer;
  const fault = desk.faults.take(({ mode, on }) => mode === 'instant' || on === 'verify');
  if (fault?.mode === 'instant') return { json: { isValid: true, payer } satisfies VerifyResponse };
  if (fault?.mode === 'drop_before_settle') return 'drop';
  if (fault?.mode === 'error_500') return internalError();
  if (fault?.mode === 'refuse') {
    return { json: { isValid: false, invalidReason: fault.reason, payer } satisfies VerifyResponse };
  }
  const answer = await desk.x402.verify(payload, requirements);
  if (fault?.mode === 'slow') await sleep(fault.ms);
  return { json: answer };
}

async function settle(desk: Desk, call: Call): Promise<Answer> {
  const { payload, requirements } = readPayment(call);
  const settlement = desk.record.find(payload, requirements);
  settlement.settle_calls += 1;
  const fault = desk.faults.take(({ mode, on }) => mode === 'instant' || on === 'settle');
  const made = (answer: SettleResponse): Answer => {
    desk.record.answered(settlement, answer);
    return { json: answer };
  };
  const lost = (answer: Answer): Answer => {
    desk.record.answered(settlement, null);
    return answer;
  };
  const outcome = { payer: settlement.payer, network: requirements.network };

  if (fault?.mode === 'hold_before_settle') await desk.holds.hold();
  if (fault?.mode === 'error_500') return lost(internalError());
  if (fault?.mode === 'drop_before_settle') return lost('drop');
  if (fault?.mode === 'refuse') {
    return made({ ...outcome, success: false, errorReason: fault.reason, transaction: '' });
  }
  if (fault?.mode === 'lie' || fault?.mode === 'instant') {
    return made({ ...outcome, success: true, transaction: fault.transaction ?? generatePrivateKey() });
  }

  const trace: SettlementTrace = { transactions: settlement.transactions, trouble: chainTrouble(fault) };
  const answer = await settlementTrace.run(trace, () => desk.x402.settle(payload, requirements));
  if (fault?.mode === 'hold_after_settle') await desk.holds.hold();
  if (fault?.mode === 'slow') await sleep(fault.ms);
  return fault?.mode === 'drop_after_settle' ? lost('drop') : made(answer);
}

function chainTrouble(fault: Fault | undefined): SettlementTrace['trouble'] {
  if (fault?.mode === 'pending') return 'receipt_times_out';
  if (fault?.mode === 'rpc_timeout_on_broadcast') return 'broadcast_times_out';
  return undefined;
}

function internalError(): Answer {
  return {
    status: 500,
    json: { sandbox: BRAND, error: 'internal', message: 'The facilitator fails as it was told to.' },
  };
}

/** Reads only what the record needs: the scheme checks every field of a payment itself. */
function readPayment(call: Call): { payload: PaymentPayload; requirements: PaymentRequirements } {
  const parsed = paymentSchema.safeParse(call.body);
  if (!parsed.success) throw new Refusal(400, 'invalid_body', z.prettifyError(parsed.error));
  return {
    payload: parsed.data.paymentPayload as unknown as PaymentPayload,
    requirements: parsed.data.paymentRequirements as unknown as PaymentRequirements,
  };
}
