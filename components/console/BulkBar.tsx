import { bulkNames } from '@/server/console/contract/acts.ts';
import type { Row } from '@/server/console/contract/purchases.ts';
import { type ActingRole, may } from '@/server/operation/operator-roles.ts';
import { actWords } from './act-words.ts';

/** Actions on the selected purchases or on all shown, after a preview. */
export function BulkBar({ role, rows, back }: { role: ActingRole; rows: readonly Row[]; back: string }) {
  const names = bulkNames.filter((name) => may(role, name));
  if (names.length === 0 || rows.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-line px-4 py-2.5 text-dense">
      <input type="hidden" name="shown" value={rows.map(({ job_key }) => job_key).join(',')} />
      <input type="hidden" name="back" value={back} />
      <label className="inline-flex items-center gap-2">
        With several
        <span className="field min-h-9 text-ui">
          <select name="action" defaultValue={names[0]}>
            {names.map((name) => (
              <option key={name} value={name}>
                {actWords[name].button}
              </option>
            ))}
          </select>
        </span>
      </label>
      <button type="submit" className="btn btn-sm">
        Preview selected
      </button>
      <button type="submit" className="btn btn-sm" name="all" value="1">
        Preview all {rows.length} shown
      </button>
    </div>
  );
}
