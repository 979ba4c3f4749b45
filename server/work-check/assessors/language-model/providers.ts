import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { AssessorModel } from '../../../configuration/assessor.ts';

const RESPONSE_BYTES_MAX = 1_048_576;

/** The model as the AI SDK calls it. */
export function modelOf({ provider, model, baseUrl, apiKey }: AssessorModel): LanguageModel {
  const shared = { fetch: boundedFetch, ...(apiKey ? { apiKey } : {}) };
  switch (provider) {
    case 'anthropic':
      return createAnthropic(shared)(model);
    case 'openai':
      return createOpenAI(shared)(model);
    case 'compatible':
      return createOpenAICompatible({
        ...shared,
        name: 'compatible',
        baseURL: baseUrl ?? '',
        supportsStructuredOutputs: true,
      })(model);
    default:
      return provider satisfies never;
  }
}

/** Ends a response that grows past any honest answer. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES_MAX) controller.error(new Error('The model answered more than is read.'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(limit), { status: response.status, headers: response.headers });
};
