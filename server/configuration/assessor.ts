import { z } from 'zod';
import { ConfigurationError } from '../kernel/configuration-error.ts';

/** The variables that name the assessor's language models, with their bounds. */

const MICROCENTS_PER_USD = 100_000_000;
const providers = ['anthropic', 'openai', 'compatible'] as const;

/** `anthropic:NAME,compatible:NAME` as a list; a name may contain colons. */
const assessorModels = z.string().transform((text, issue) =>
  text.split(',').flatMap((part) => {
    const [, name, model] = /^\s*([a-z]+):(\S+)\s*$/.exec(part) ?? [];
    const provider = providers.find((known) => known === name);
    if (provider && model) return [{ provider, model }];
    issue.addIssue({ code: 'custom', message: `must be PROVIDER:MODEL pairs parted by commas, not "${part}"` });
    return [];
  }),
);

/** `PROVIDER:MODEL=INPUT/CACHED/OUTPUT` in USD per million tokens, as microcents per million. */
const assessorPrices = z.string().transform((text, issue) => {
  const prices: { provider: string; model: string; price: AssessorPrice }[] = [];
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const amount = String.raw`(\d+(?:\.\d+)?)`;
    const found = new RegExp(String.raw`^\s*([a-z]+):(\S+)=${amount}/${amount}/${amount}\s*$`).exec(part);
    const [, provider, model] = found ?? [];
    if (!found || !provider || !model) {
      const message = `must be PROVIDER:MODEL=INPUT/CACHED/OUTPUT parted by commas, not "${part}"`;
      issue.addIssue({ code: 'custom', message });
      continue;
    }
    const [input = 0, cached = 0, output = 0] = found
      .slice(3)
      .map((usd) => Math.round(Number(usd) * MICROCENTS_PER_USD));
    prices.push({ provider, model, price: { input, cached, output } });
  }
  return prices;
});

export const assessorVariables = {
  /** `rules`: checks are sold without a language model. */
  ASSESSOR: z.enum(['rules']).optional(),
  ASSESSOR_MODELS: assessorModels.default([]),
  ASSESSOR_ANTHROPIC_API_KEY: z.string().optional(),
  ASSESSOR_OPENAI_API_KEY: z.string().optional(),
  ASSESSOR_COMPATIBLE_URL: z.url().optional(),
  ASSESSOR_COMPATIBLE_API_KEY: z.string().optional(),
  ASSESSOR_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(600).default(120),
  ASSESSOR_TOKENS_MAX: z.coerce.number().int().min(1_000).max(10_000_000).default(600_000),
  ASSESSOR_PRICES: assessorPrices.default([]),
  ASSESSOR_BUDGET_MICROCENTS: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
};
const AssessorVariables = z.object(assessorVariables);
type AssessorVariables = z.infer<typeof AssessorVariables>;

export interface AssessorModel {
  provider: (typeof providers)[number];
  model: string;
  /** Of a `compatible` provider: Ollama, vLLM or any other that speaks the OpenAI protocol; ends in `/v1`. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Time-out of one call. */
  timeoutMs: number;
  /** Token budget of one check, input and output, over all calls. */
  tokensMax: number;
  price?: AssessorPrice | undefined;
  /** Cost limit of one check, over all models. */
  budgetMicrocents?: number | undefined;
}

/** In microcents per million tokens: input, cached input, output. */
export interface AssessorPrice {
  input: number;
  cached: number;
  output: number;
}

/** The assessor's models alone, for commands that need nothing else. Throws `ConfigurationError`. */
export function readAssessorModels(env: Record<string, string | undefined>): AssessorModel[] {
  const present = presentIn(env);
  const parsed = AssessorVariables.safeParse(present);
  const faults = parsed.success ? assessorFaults(parsed.data) : parsed.error.issues.map(faultOf(present));
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults.join('\n'));
  return assessorOf(parsed.data);
}

/** Treat an empty variable as unset. */
export const presentIn = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));

export function assessorOf(variables: AssessorVariables): AssessorModel[] {
  const own = {
    anthropic: { apiKey: variables.ASSESSOR_ANTHROPIC_API_KEY },
    openai: { apiKey: variables.ASSESSOR_OPENAI_API_KEY },
    compatible: {
      baseUrl: variables.ASSESSOR_COMPATIBLE_URL?.replace(/\/+$/, ''),
      apiKey: variables.ASSESSOR_COMPATIBLE_API_KEY,
    },
  };
  const limits = {
    timeoutMs: variables.ASSESSOR_TIMEOUT_SECONDS * 1000,
    tokensMax: variables.ASSESSOR_TOKENS_MAX,
    budgetMicrocents: variables.ASSESSOR_BUDGET_MICROCENTS,
  };
  const priceOf = (named: { provider: string; model: string }): AssessorPrice | undefined =>
    variables.ASSESSOR_PRICES.find(({ provider, model }) => provider === named.provider && model === named.model)
      ?.price;
  return variables.ASSESSOR_MODELS.map((named) => ({
    ...named,
    ...own[named.provider],
    ...limits,
    price: priceOf(named),
  }));
}

export function faultOf(present: Record<string, string | undefined>) {
  return (issue: z.core.$ZodIssue): string => {
    const name = String(issue.path[0]);
    return present[name] === undefined ? `${name} is missing` : `${name} ${issue.message}`;
  };
}

/** Variables that ASSESSOR_MODELS needs as well. */
export function assessorFaults(variables: AssessorVariables): string[] {
  const faults: string[] = [];
  if (variables.ASSESSOR === 'rules' && variables.ASSESSOR_MODELS.length > 0)
    faults.push('ASSESSOR=rules sells checks without a language model, and ASSESSOR_MODELS names one: set one of them');
  const needed = {
    anthropic: 'ASSESSOR_ANTHROPIC_API_KEY',
    openai: 'ASSESSOR_OPENAI_API_KEY',
    compatible: 'ASSESSOR_COMPATIBLE_URL',
  } as const;
  for (const provider of new Set(variables.ASSESSOR_MODELS.map((named) => named.provider))) {
    if (!variables[needed[provider]])
      faults.push(`${needed[provider]} is missing: ASSESSOR_MODELS names a model of ${provider}`);
  }
  const isPriced = (named: { provider: string; model: string }): boolean =>
    variables.ASSESSOR_PRICES.some(({ provider, model }) => provider === named.provider && model === named.model);
  if (variables.ASSESSOR_BUDGET_MICROCENTS !== undefined) {
    for (const named of variables.ASSESSOR_MODELS.filter((one) => !isPriced(one)))
      faults.push(`ASSESSOR_PRICES names no price of ${named.provider}:${named.model}, which a budget needs`);
  }
  return faults;
}
