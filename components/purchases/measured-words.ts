import { instantText } from '@/server/kernel/instant-text.ts';
import type { Report } from '@/server/work-check/contract.ts';

/** The decided share of the work, never rounded up: `83% of the statements that can be checked`. */
export function decidedText(share: number): string {
  const percent = Math.floor(share * 100 + 1e-9);
  const of = 'of the statements that can be checked';
  if (share === 0) return `None ${of}`;
  if (share === 1) return `All ${of}`;
  return `${percent === 0 ? 'Less than 1' : percent}% ${of}`;
}

/** The measured accuracy, the data, and whether the measured version is the one `meant`. */
export function measuredText(measured: Report['measured'], meant = 'that wrote this report'): string {
  if (measured === null) return 'The report states no measured accuracy.';
  const { figures, measured_on, measured_at, version, this_version } = measured;
  const values = Object.entries(figures).map(([name, value]) =>
    name.endsWith(' %') ? `${name.slice(0, -2)} ${value}%` : `${name.replaceAll('_', ' ')} ${value}`,
  );
  const day = Number.isNaN(Date.parse(measured_at)) ? measured_at : instantText(measured_at, 'day');
  const which = `${this_version ? '' : 'not '}the version ${meant}`;
  const opening = values.length > 0 ? `${values.join(', ')}, on` : 'on';
  const said = `${opening} ${measured_on}. Measured on ${day} by version ${version}; ${which}.`;
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`;
}
