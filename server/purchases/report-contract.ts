import { z } from 'zod';
import { fieldMeanings } from '../availability/meanings.ts';
import { Report } from '../work-check/contract.ts';

/** The descriptions of a report's fields in every published schema. Pure. */

for (const [name, description] of Object.entries(fieldMeanings)) {
  const field = Report.shape[name as keyof typeof fieldMeanings];
  z.globalRegistry.add(field, { ...z.globalRegistry.get(field), description });
}
