import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Fragment } from 'react';
import { Digest } from '@/components/ui/Digest.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { Key } from '@/components/ui/Key.tsx';
import type { SourceEntry } from '@/server/work-check/contract.ts';
import { byteText } from './byte-text.ts';
import { PassageFrame, PassageLink, ReturnLink } from './Citations.tsx';
import { PassageLines } from './PassageLines.tsx';
import { PassageOnDemand } from './PassageOnDemand.tsx';
import { linesAround, type Passage } from './passages.ts';
import { StatementLink } from './Statements.tsx';

/** The text of an evidence item, while kept. */
export interface EvidenceText {
  ref: string;
  text: string;
}

function NotKept({ source }: { source: SourceEntry | undefined }) {
  return (
    <p className="px-4 py-1 font-sans text-ui text-ink-2">
      {source?.origin === 'retrieved'
        ? 'A member removed this document, or the check no longer records which one it was.'
        : 'This text is no longer kept.'}{' '}
      Its digest stays: anyone with a copy can prove which text was assessed.
    </p>
  );
}

function passageQuery({ ref, start, end }: Passage, digest: string): URLSearchParams {
  return new URLSearchParams({ ref, digest, start: String(start), end: String(end) });
}

function PassageHead({ passage, source, previous, next, bytes }: HeadProps) {
  const turn = 'btn btn-sm btn-icon w-7';
  const origin = source?.origin === 'retrieved' ? 'Retrieved by the service' : 'Supplied by the buyer, not retrieved';
  return (
    <header className="border-b border-line p-4">
      <div className="flex items-start gap-2">
        <h3 id={`passage-${passage.number}-name`} className="min-w-0 text-h3 wrap-anywhere">
          <span className="font-mono text-dense font-normal text-accent">[{passage.number}]</span>{' '}
          <bdi>{source?.source ?? passage.ref}</bdi>
        </h3>
        {previous === next && previous === passage.number ? null : (
          <div className="ml-auto flex gap-1 noscript:hidden print:hidden">
            <PassageLink number={previous} className={turn} label="Previous citation">
              <ChevronLeft className="icon" />
            </PassageLink>
            <PassageLink number={next} className={turn} label="Next citation">
              <ChevronRight className="icon" />
            </PassageLink>
          </div>
        )}
      </div>
      <p className="mt-0.5 text-dense text-ink-3">
        {origin}.{bytes === null ? '' : ` ${bytes.toLocaleString('en-US')} bytes.`}
      </p>
      <ReturnLink passage={passage.number} />
    </header>
  );
}

interface HeadProps {
  passage: Passage;
  source: SourceEntry | undefined;
  /** The numbers of its neighbours on the page, in a ring. */
  previous: number;
  next: number;
  bytes: number | null;
}

/** A one-line source may decide every cell of a table: name only the first. */
const STATEMENTS_NAMED = 12;

function CitedBy({ passage: { findings, statements } }: { passage: Passage }) {
  const link = 'link inline-flex min-h-6 items-center';
  const links = [
    ...findings.map((number) => (
      <a key={`finding-${number}`} href={`#finding-${number}`} className={link}>
        finding {number}
      </a>
    )),
    ...statements.slice(0, STATEMENTS_NAMED).map((number) => (
      <StatementLink key={`statement-${number}`} number={number} className={link}>
        statement {number}
      </StatementLink>
    )),
  ];
  const more = statements.length - STATEMENTS_NAMED;
  return (
    <>
      {links.map((each, index) => (
        <Fragment key={each.key}>
          <span className="whitespace-nowrap">
            {each}
            {index < links.length - 1 ? ',' : ''}
          </span>{' '}
        </Fragment>
      ))}
      {more > 0 ? `and ${more} more` : ''}
    </>
  );
}

/** Where the texts of passages are that a page does not send at once. */
export interface OnDemand {
  /** Answers the lines of the passage that its query names. */
  address: string;
  /** The page with every passage. */
  whole: string;
}

/** Passages whose text a page sends at once; the rest is read when asked for. */
export const PASSAGES_SENT = 12;

interface Props {
  passages: readonly Passage[];
  sources: readonly SourceEntry[];
  /** Null once the content was deleted. */
  evidence: readonly EvidenceText[] | null;
  /** Null sends every text at once. */
  onDemand?: OnDemand | null;
}

/** The cited passages, one at a time: source, origin, text, bytes, digest and age. */
export function PassagePanel({ passages, sources, evidence, onDemand = null }: Props) {
  const texts = new Map(evidence?.map(({ ref, text }) => [ref, byteText(text)]));
  return passages.map((passage, index) => {
    const source = sources.find((entry) => entry.ref === passage.ref);
    const text = texts.get(passage.ref);
    return (
      <PassageFrame key={passage.number} number={passage.number}>
        <PassageHead
          passage={passage}
          source={source}
          previous={(passages.at(index - 1) ?? passage).number}
          next={(passages[(index + 1) % passages.length] ?? passage).number}
          bytes={text?.bytes ?? null}
        />
        <div className="bg-sunken py-3 font-mono text-dense leading-6">
          {text === undefined ? (
            <NotKept source={source} />
          ) : onDemand && source && index >= PASSAGES_SENT ? (
            <PassageOnDemand
              passage={passage.number}
              address={`${onDemand.address}?${passageQuery(passage, source.digest)}`}
              whole={onDemand.whole}
            />
          ) : (
            <PassageLines lines={linesAround(text, passage.start, passage.end)} />
          )}
        </div>
        <details className="px-4 py-1 text-dense">
          <summary className="min-h-6 w-fit cursor-pointer py-0.5 text-ink-3">Place, digest and date</summary>
          <dl className="facts">
            <dt>Cited by</dt>
            <dd>
              <CitedBy passage={passage} />
            </dd>
            <dt>Passage</dt>
            <dd>
              Bytes {passage.start.toLocaleString('en-US')} to {passage.end.toLocaleString('en-US')} of{' '}
              <Key>{passage.ref}</Key>
            </dd>
            <dt>Digest</dt>
            <dd>{source === undefined ? 'Not recorded' : <Digest digest={source.digest} />}</dd>
            <dt>Observed</dt>
            <dd>{source?.observed_at ? <Instant at={source.observed_at} /> : 'No date supplied'}</dd>
          </dl>
        </details>
      </PassageFrame>
    );
  });
}
