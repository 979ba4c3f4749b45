import type { AssessorModel } from '../configuration/assessor.ts';

/** Where submitted content goes during assessment (specification 2). */
export function dataProcessing(models: readonly AssessorModel[]) {
  const vendors = [...new Set(models.map(vendorOf))].filter((vendor) => vendor !== null);
  return {
    evidence_leaves_to_model_vendor: vendors.length > 0,
    model_vendor: vendors.length > 0 ? vendors.join(', ') : null,
    models: models.map(({ model }) => model),
    method: `deterministic_checks+${methodOf(models)}`,
  };
}

/** The `verification.method` of a report. */
function methodOf(models: readonly AssessorModel[]): string {
  if (models.length === 0) return 'embedded_assessment';
  return models.length === 1 ? 'model_assessment' : 'model_panel_assessment';
}

/** Who receives the content; null for a local model. */
function vendorOf({ provider, baseUrl }: AssessorModel): string | null {
  switch (provider) {
    case 'anthropic':
      return 'Anthropic';
    case 'openai':
      return 'OpenAI';
    case 'compatible': {
      const { hostname } = new URL(baseUrl ?? 'http://localhost');
      return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ? null : hostname;
    }
    default:
      return provider satisfies never;
  }
}
