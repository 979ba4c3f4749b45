import { expect, it } from 'vitest';
import { forecastOf } from './forecast.ts';
import { exampleRequest } from './sample.ts';

it('says what rules could decide of a work, before anything is paid', () => {
  expect(forecastOf(exampleRequest, 'rules')).toEqual({
    assessor: 'rules',
    statements: 4,
    decidable_by_rules: 3,
    criteria: { by_rules: 5, need_a_reader: 1 },
  });
});

it('counts fields of structured work', () => {
  const request = { work_product: { name: 'Ana', open: true }, evidence: [{ source: 'List', text: 'Ana is here.' }] };
  expect(forecastOf(request, 'rules')).toMatchObject({ statements: 2, decidable_by_rules: 2 });
});
