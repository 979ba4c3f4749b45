import type { CheckRequest, Forecast } from './contract.ts';
import { isForRules } from './criteria/kinds.ts';
import { entriesOf } from './entries.ts';
import { readWork } from './statements.ts';

/**
 * What a check could decide, told before anybody pays: one pass that splits the work and types its statements. No rule
 * runs, so `decidable_by_rules` is an upper bound: fields, cells, and sentences that give a figure, a date or a time.
 */
export function forecastOf(request: CheckRequest, assessor: string): Forecast {
  const { statements } = readWork(request.work_product);
  const typed = statements.filter(({ record, quantities }) => record !== undefined || quantities.length > 0);
  const criteria = entriesOf(request).filter(({ from }) => from !== 'work' && from !== 'request');
  const byRules = criteria.filter(({ label }) => isForRules(label)).length;
  return {
    assessor,
    statements: statements.length,
    decidable_by_rules: typed.length,
    criteria: { by_rules: byRules, need_a_reader: criteria.length - byRules },
  };
}
