import type { Report } from '@/server/work-check/contract.ts';
import { checkNames, checkSentence } from './check-words.ts';
import { State } from './State.tsx';

/** The deterministic checks: performed, failed or skipped, each with its reason. */
export function Checks({ checks }: { checks: Report['verification']['checks'] }) {
  return (
    <ul className="border-t border-ink">
      {checks.map((outcome) => (
        <li
          key={outcome.check}
          className="grid grid-cols-[1fr_auto] gap-x-4 border-b border-line py-2.5 print:break-inside-avoid md:grid-cols-[11rem_6rem_1fr]"
        >
          <span className="font-medium">{checkNames[outcome.check]}</span>
          <State kind="check" value={outcome.status} />
          <span className="text-ink-2 max-md:col-span-2">{checkSentence(outcome)}</span>
        </li>
      ))}
    </ul>
  );
}
