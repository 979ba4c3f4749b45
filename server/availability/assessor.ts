import type { AssessorModel } from '../configuration/assessor.ts';
import { openProbe, type Probe, probeMs } from '../kernel/probe.ts';

const vendors = { anthropic: 'https://api.anthropic.com/v1', openai: 'https://api.openai.com/v1' } as const;

/**
 * Probes every model of the panel; null with the embedded assessor. Lists models, which costs nothing and sends no
 * content.
 */
export function openAssessorProbe(models: readonly AssessorModel[]): Probe | null {
  if (models.length === 0) return null;
  return openProbe('assessor_unreachable', () => Promise.all(models.map(askForModels)));
}

async function askForModels({ provider, baseUrl, apiKey = '' }: AssessorModel): Promise<void> {
  const url = provider === 'compatible' ? baseUrl : vendors[provider];
  const response = await fetch(`${url}/models`, {
    headers:
      provider === 'anthropic'
        ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
        : apiKey === ''
          ? {}
          : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(probeMs),
  });
  await response.body?.cancel();
  // A vendor without that list answers 404, which is an answer.
  if (response.status >= 500 || response.status === 401 || response.status === 403) {
    throw new Error(`the answer is ${response.status}`);
  }
}
