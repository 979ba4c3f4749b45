import { describe, expect, it } from 'vitest';
import type { AssessorModel } from '../configuration/assessor.ts';
import { dataProcessing } from './data-processing.ts';

const limits = { timeoutMs: 1, tokensMax: 1 };
const local: AssessorModel = {
  provider: 'compatible',
  model: 'llama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  ...limits,
};

describe('what the contract says of data processing', () => {
  it('keeps content in the service without a model, and with one on its own machine', () => {
    expect(dataProcessing([])).toEqual({
      evidence_leaves_to_model_vendor: false,
      model_vendor: null,
      models: [],
      method: 'deterministic_checks+embedded_assessment',
    });
    expect(dataProcessing([local])).toMatchObject({ evidence_leaves_to_model_vendor: false, models: ['llama'] });
  });

  it('names every vendor that receives content', () => {
    const panel: AssessorModel[] = [
      { provider: 'anthropic', model: 'one', ...limits },
      { ...local, model: 'two', baseUrl: 'https://models.example/v1' },
    ];
    expect(dataProcessing(panel)).toEqual({
      evidence_leaves_to_model_vendor: true,
      model_vendor: 'Anthropic, models.example',
      models: ['one', 'two'],
      method: 'deterministic_checks+model_panel_assessment',
    });
  });
});
