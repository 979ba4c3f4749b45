import { Key } from '@/components/ui/Key.tsx';
import {
  confidenceMeaning,
  fieldMeanings,
  findingMeanings,
  statementMeanings,
  verdictMeanings,
} from '@/server/availability/meanings.ts';
import type { Offer } from '../offer.ts';

function Table({ title, rows }: { title: string; rows: readonly (readonly [string, string])[] }) {
  return (
    <div>
      <h3 className="text-h3 text-ink">{title}</h3>
      <dl className="mt-2 border-t border-ink text-ui">
        {rows.map(([word, meaning]) => (
          <div
            key={word}
            className="grid gap-x-4 border-b border-line py-2 md:grid-cols-[12rem_minmax(0,1fr)] md:items-baseline"
          >
            <dt>
              <Key>{word}</Key>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** What the words of a report mean, what is decided, and the measured accuracy. */
export function Meanings({ assessment: { assessor, decides, recheck, accuracy } }: Pick<Offer, 'assessment'>) {
  return (
    <>
      <Table title="Verdict" rows={Object.entries(verdictMeanings)} />
      <Table title="Other members" rows={Object.entries({ confidence: confidenceMeaning, ...fieldMeanings })} />
      <Table title="Status of a finding" rows={Object.entries(findingMeanings)} />
      <Table title="Status of a statement" rows={Object.entries(statementMeanings)} />
      <p>
        <Key>findings[].statements</Key> are indexes into <Key>statements</Key>. A citation gives a passage as UTF-8
        byte offsets into its source, so anyone with the evidence can check it. Reports quote at most 200 characters at
        a time.
      </p>
      <Table title="What is decided" rows={decides.map(({ kind, decides: what }) => [kind, what] as const)} />
      <p>{recheck}</p>
      <p>
        The assessor is {assessor}, for English. {accuracy} In a report, <Key>measured</Key> gives the figures, the data
        sets and the version they were measured with; <Key>this_version</Key> says whether that version wrote the
        report. It is null if nothing was measured.
      </p>
    </>
  );
}
