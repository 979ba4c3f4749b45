import {
  APICallError,
  generateText,
  type LanguageModel,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  Output,
  RetryError,
} from 'ai';
import type { AssessorModel } from '../../../configuration/assessor.ts';
import { CheckFailure } from '../../failure.ts';
import type { Purse } from './budget.ts';
import type { Material } from './material.ts';
import { Answer, faultOf, messagesOf, type Questions, type Refused, RULES } from './prompt.ts';

export type Call = {
  model: LanguageModel;
  settings: AssessorModel;
  material: Material;
  questions: Questions;
  purse: Purse;
  signal: AbortSignal | undefined;
};

/** A token of English is rarely shorter. */
const CHARS_PER_TOKEN = 3;
/** The least that one answer takes. */
const OUTPUT_TOKENS_PER_QUESTION = 100;

/** Models that refused a temperature; some providers do, for some models, and only the refusal says so. */
const withoutTemperature = new Set<string>();
const nameOf = ({ provider, baseUrl = '', model }: AssessorModel): string => `${provider} ${baseUrl} ${model}`;

/**
 * Asks once, and once more with the refused answer beside it when that broke the schema or left a question out. Undefined
 * when the budget does not pay for it.
 *
 * @throws {CheckFailure} `assessor_unreachable`, `assessor_failed` when it refuses what is sent, `assessor_unusable` when it
 * answers outside the schema twice
 */
export async function ask(call: Call): Promise<Answer | undefined> {
  const first = await tryAnswer(call);
  if (first === undefined || 'answer' in first) return first?.answer;
  const second = await tryAnswer(call, first);
  if (second === undefined || 'answer' in second) return second?.answer;
  throw new CheckFailure('assessor_unusable', 'The model answered outside the schema twice.');
}

async function tryAnswer(call: Call, refused?: Refused): Promise<{ answer: Answer } | Refused | undefined> {
  const { settings, material, questions, purse, signal } = call;
  const messages = messagesOf(material, questions, refused);
  const chars = RULES.length + JSON.stringify(messages).length;
  const asked = questions.statements.length + questions.criteria.length;
  const input = Math.ceil(chars / CHARS_PER_TOKEN);
  const reserved = purse.reserve(settings, input, asked * OUTPUT_TOKENS_PER_QUESTION);
  if (reserved === undefined) return undefined;
  const timeout = AbortSignal.timeout(settings.timeoutMs);
  const generate = () =>
    generateText({
      model: call.model,
      system: RULES,
      messages,
      output: Output.object({ schema: Answer }),
      maxOutputTokens: reserved.outputMax,
      maxRetries: 1,
      ...(withoutTemperature.has(nameOf(settings)) ? {} : { temperature: 0 }),
      providerOptions: { openai: { promptCacheKey: material.fence } },
      abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  const settle = (usage: TokenUsage, text: string): void => reserved.settle(usageOf(usage, input, text));
  try {
    const { output, usage, text, warnings } = await generate().catch((cause) => {
      if (!refusesTemperature(cause)) throw cause;
      withoutTemperature.add(nameOf(settings));
      return generate();
    });
    // Some providers leave it out themselves and say so with every answer.
    if (warnings?.some((warning) => warning.type === 'unsupported' && warning.feature === 'temperature'))
      withoutTemperature.add(nameOf(settings));
    settle(usage, text);
    const why = faultOf(output, questions);
    return why === undefined ? { answer: output } : { text, why };
  } catch (cause) {
    signal?.throwIfAborted();
    if (NoObjectGeneratedError.isInstance(cause)) {
      settle(cause.usage, cause.text ?? '');
      return { text: cause.text ?? '', why: 'It did not match the schema.' };
    }
    if (NoOutputGeneratedError.isInstance(cause)) return { text: '', why: 'It was empty.' };
    const detail = timeout.aborted ? 'The model did not answer in time.' : 'The model could not be reached or refused.';
    throw new CheckFailure(timeout.aborted || isAway(cause) ? 'assessor_unreachable' : 'assessor_failed', detail, {
      cause,
    });
  }
}

type TokenUsage = Awaited<ReturnType<typeof generateText>>['usage'] | undefined;

/** What the provider counted; where it counts nothing, what the texts come to. */
function usageOf(usage: TokenUsage, input: number, text: string) {
  return {
    input: usage?.inputTokens || input,
    cacheRead: usage?.inputTokenDetails?.cacheReadTokens ?? 0,
    cacheWrite: usage?.inputTokenDetails?.cacheWriteTokens ?? 0,
    output: usage?.outputTokens || Math.ceil(text.length / CHARS_PER_TOKEN),
  };
}

/** What a provider answers whatever it is sent: it is down, over its limit, or wants another key. */
const AWAY = new Set([401, 402, 403, 404, 408, 429]);

/** Whether the provider, and not what was sent to it, is why nothing came. */
function isAway(cause: unknown): boolean {
  const last = RetryError.isInstance(cause) ? cause.lastError : cause;
  if (!APICallError.isInstance(last)) return false;
  const { statusCode = 500 } = last;
  return statusCode >= 500 || AWAY.has(statusCode);
}

function refusesTemperature(cause: unknown): boolean {
  return (
    APICallError.isInstance(cause) &&
    cause.statusCode === 400 &&
    /temperature/i.test(`${cause.message} ${cause.responseBody ?? ''}`)
  );
}
