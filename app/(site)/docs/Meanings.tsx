import { Key } from '@/components/ui/Key.tsx';
import { confidenceMeaning, findingMeanings, statementMeanings, verdictMeanings } from '@/server/service/meanings.ts';
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

/** The meaning of a report's words, who decides, and the measured accuracy. */
export function Meanings({ assessment: { assessor, decides, recheck, accuracy } }: Pick<Offer, 'assessment'>) {
  return (
    <>
      <Table title="Verdict" rows={Object.entries(verdictMeanings)} />
      <p>
        <Key>confidence</Key>: {confidenceMeaning}
      </p>
      <Table title="Status of a finding" rows={Object.entries(findingMeanings)} />
      <Table title="Status of a statement" rows={Object.entries(statementMeanings)} />
      <p>
        <Key>findings[].statements</Key> are indexes into <Key>statements</Key>. Citations give a passage by UTF-8 byte
        offsets into the text of its source, so whoever holds the evidence can check them. A quotation in a report is at
        most 200 characters.
      </p>
      <Table title="What is decided" rows={decides.map(({ kind, decides: what }) => [kind, what] as const)} />
      <p>{recheck}</p>
      <p>
        The assessor is {assessor}, in English. {accuracy} <Key>measured</Key> of a report gives the figures of the data
        sets with the version that they were measured on, and in <Key>this_version</Key> whether that is the version
        that wrote it; it is null where nothing was measured.
      </p>
    </>
  );
}
