import { z } from 'zod';
import { type ProblemCode, problems } from '../problems/catalogue.ts';
import { NextAction } from '../purchases/contract.ts';

/** A refusal on the wire, the same for every transport. OpenAPI and the MCP tools use these. */

export const ProblemObject = z
  .looseObject({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    retryable: z.boolean(),
    request_id: z.string(),
    next_step: z.string().meta({ description: 'What to do now, in a sentence.' }),
    errors: z
      .array(
        z.object({
          pointer: z.string(),
          code: z.string(),
          detail: z.string(),
          limit: z.number().optional(),
          actual: z.number().optional(),
        }),
      )
      .optional(),
    next_actions: z
      .array(NextAction)
      .optional()
      .meta({ description: 'What is allowed instead, if an action on a purchase is refused.' }),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457. `code` names the problem, `type` is the address of its page. Some codes have more members.',
  });

export const PaymentRequiredObject = z
  .looseObject({
    x402Version: z.literal(2),
    error: z.string().optional(),
    resource: z.looseObject({ url: z.string() }),
    accepts: z.array(
      z.looseObject({
        scheme: z.string(),
        network: z.string(),
        amount: z.string().meta({ description: 'In base units of the asset: 1000000 is one USDC.' }),
        asset: z.string().meta({ description: 'The address of the token.' }),
        payTo: z.string(),
        maxTimeoutSeconds: z.int(),
        extra: z.looseObject({}).meta({ description: 'Name and version of the EIP-712 domain of the token.' }),
      }),
    ),
  })
  .meta({
    id: 'PaymentRequired',
    description: 'x402 version 2. Over REST the PAYMENT-REQUIRED header has the same JSON.',
  });
