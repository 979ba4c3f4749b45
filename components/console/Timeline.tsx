import {
  Boxes,
  CreditCard,
  FileCheck2,
  Hourglass,
  type LucideIcon,
  Mail,
  MessageSquareText,
  Power,
  ReceiptText,
  Scale,
  Send,
  Split,
  Undo2,
  UserRound,
  Wallet,
  Webhook,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { Entry } from '@/server/console/contract/purchases.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CopyVerbatim } from '../ui/CopyVerbatim.tsx';
import { counted } from '../ui/counted.ts';
import { Moment } from './Moment.tsx';

const icons: Record<Entry['kind'], LucideIcon> = {
  state: Split,
  payment: Wallet,
  chain: Boxes,
  refund: Undo2,
  report: FileCheck2,
  review: MessageSquareText,
  receipt: ReceiptText,
  ledger: Scale,
  queue: Hourglass,
  letter: Mail,
  request: Send,
  operator: UserRound,
  switch: Power,
  provider: CreditCard,
  webhook: Webhook,
};

interface Props {
  entries: readonly Entry[];
  page: string;
  failedOnly: boolean;
  raw: boolean;
  now: Date;
  /** The service's address, for copied links. */
  baseUrl: string;
}

/** Longer keys are shortened in their row. */
const keyShown = 18;
const shortened = (key: string): string => (key.length > keyShown ? `${key.slice(0, 10)}…${key.slice(-6)}` : key);
const anchorOf = (id: string): string => id.replace(/[^\w-]/g, '-');

/** What tells how the service did it, and not what happened to the purchase. */
const plumbing = new Set<Entry['kind']>(['request', 'queue', 'ledger', 'webhook', 'switch', 'receipt']);

/** All records of a purchase, newest first, the service's own below. Each entry has an anchor. */
export function Timeline({ entries, page, failedOnly, raw, now, baseUrl }: Props) {
  const link = baseUrl + page;
  const shown = failedOnly ? entries.filter(({ failed }) => failed) : entries;
  const address = (changes: { failed?: boolean; raw?: boolean }) => {
    const on = { failed: failedOnly, raw, ...changes };
    const query = new URLSearchParams(Object.entries(on).flatMap(([name, is]) => (is ? [[name, '1']] : []))).toString();
    return `${page}${query && `?${query}`}#timeline`;
  };
  return (
    <section aria-labelledby="timeline">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-ink pb-3">
        <h2 id="timeline" className="text-h2">
          Timeline
        </h2>
        <div className="ml-auto flex flex-wrap gap-2">
          <a className="btn btn-sm" href={address({ failed: !failedOnly })}>
            {failedOnly ? 'Show all' : 'Failed only'}
          </a>
          <a className="btn btn-sm" href={address({ raw: !raw })}>
            {raw ? 'Hide raw' : 'Show raw'}
          </a>
        </div>
      </div>
      <Lines entries={shown.filter((entry) => !plumbing.has(entry.kind) || entry.needs_look)} {...{ raw, now, link }} />
      <Plumbing
        open={raw || failedOnly}
        entries={shown.filter((entry) => plumbing.has(entry.kind) && !entry.needs_look)}
      >
        {(entries) => <Lines entries={entries} {...{ raw, now, link }} />}
      </Plumbing>
      <p className="mt-3 text-dense text-ink-3">
        {shown.length} of {entries.length} entries, in UTC.{' '}
        {shown.length === entries.length ? 'No filter is set.' : 'Entries that did not fail are hidden.'}
      </p>
    </section>
  );
}

/** Closed until asked for; an anchor within opens it by itself. */
function Plumbing({
  entries,
  open,
  children,
}: {
  entries: Entry[];
  open: boolean;
  children: (of: Entry[]) => ReactNode;
}) {
  if (entries.length === 0) return null;
  return (
    <details open={open || undefined} className="mt-2">
      <summary className="min-h-6 cursor-pointer text-dense text-ink-2">
        How the service did it: {counted(entries.length, 'entry', 'entries')} of requests, queue, books, receipts and
        webhooks
      </summary>
      {children(entries)}
    </details>
  );
}

interface LinesProps {
  entries: readonly Entry[];
  raw: boolean;
  now: Date;
  /** The page's whole address. */
  link: string;
}

function Lines({ entries, raw, now, link }: LinesProps) {
  return (
    <ol className="text-dense">
      {entries.map((entry) => (
        <Line key={entry.id} entry={entry} raw={raw} now={now} page={link} />
      ))}
    </ol>
  );
}

function Line({ entry, raw, now, page }: { entry: Entry; raw: boolean; now: Date; page: string }) {
  const Icon = icons[entry.kind];
  const anchor = anchorOf(entry.id);
  return (
    <li
      id={anchor}
      className="grid scroll-mt-16 grid-cols-[min(6rem,30vw)_1.25rem_minmax(0,1fr)] gap-x-2 border-b border-line py-2.5 target:bg-accent-tint md:grid-cols-[7rem_1.5rem_minmax(0,1fr)_auto]"
    >
      <a href={`#${anchor}`} className="min-h-6 text-ink-3 hover:underline" title="Link to this entry">
        <Moment at={entry.at} now={now} />
      </a>
      <span className={`state justify-center pt-0.5 ${entry.failed ? 'tone-fault' : 'tone-quiet'}`}>
        <Icon className="icon" />
      </span>
      <div className="min-w-0 wrap-anywhere">
        <span className="font-medium text-ink">{entry.title}</span>{' '}
        {entry.needs_look ? <span className="ml-1 text-fault">needs a look</span> : null}
        <p className="wrap-anywhere text-ink-2">{entry.detail}</p>
        <details open={raw || undefined}>
          <summary className="inline-flex min-h-6 cursor-pointer items-center text-meta text-ink-3">
            Raw<span className="sr-only"> entry: {entry.title}</span>
          </summary>
          <pre className="verbatim mt-1 p-2 wrap-anywhere whitespace-pre-wrap">
            {JSON.stringify({ at: entry.at, kind: entry.kind, ...entry.raw }, null, 1)}
          </pre>
        </details>
      </div>
      <span className="flex flex-wrap items-center self-start max-md:col-start-3">
        {entry.key ? (
          <CopyVerbatim text={entry.key} shown={shortened(entry.key)} label={`Copy the key of: ${entry.title}`} />
        ) : null}
        <span className="-mr-2.5 ml-auto pl-1">
          <CopyButton text={`${page}#${anchor}`} word="Copy link" label={`to: ${entry.title}`} />
        </span>
      </span>
    </li>
  );
}
