import { type BulkName, bulkMax, bulkNames } from '@/server/console/contract/acts.ts';

/** What the list's form asks for: an action, and the chosen purchases or all shown. */
export interface Chosen {
  action: BulkName;
  keys: string[];
  /** The list's query, with its question mark. */
  back: string;
}

/** Reads the form; null without an action or a purchase. */
export function chosenIn(fields: URLSearchParams): Chosen | null {
  const action = bulkNames.find((name) => name === fields.get('action'));
  const named = fields.get('all') === '1' ? (fields.get('shown') ?? '').split(',') : fields.getAll('key');
  const keys = [...new Set(named)].filter((key) => /^\w{1,64}$/.test(key)).slice(0, bulkMax);
  const back = fields.get('back') ?? '';
  return action && keys.length > 0 ? { action, keys, back: back.startsWith('?') ? back : '' } : null;
}
