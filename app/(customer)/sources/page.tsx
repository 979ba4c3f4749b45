import { FileText } from 'lucide-react';
import type { Metadata } from 'next';
import { AddSource, type SourceFault } from '@/components/forms/AddSource.tsx';
import { RemoveSource } from '@/components/forms/RemoveSource.tsx';
import { CopyVerbatim } from '@/components/ui/CopyVerbatim.tsx';
import { Digest } from '@/components/ui/Digest.tsx';
import { Instant } from '@/components/ui/Instant.tsx';
import { type Source, sourceBounds } from '@/server/sources/contract.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';
import { readForMember } from '../read.ts';
import { SignInNeeded } from '../SignInNeeded.tsx';
import { visitorMay } from '../visitor-may.ts';

export const metadata: Metadata = { title: 'Governed sources' };

type Query = Promise<{ remove?: string | string[] }>;

/** The documents that the service may retrieve for the account's agents; members add and remove them. */
export default show(async ({ searchParams }: { searchParams: Query }) => {
  const { remove } = await searchParams;
  const fault = await noticeAt('/sources');
  const { ctx } = await memberContext();
  const listed = await readForMember('sources', ctx, {});
  if (listed === null) return <SignInNeeded to="see the governed sources" next="/sources" />;
  const may = await visitorMay();
  const leaving = may('remove_source') ? listed.sources.find(({ source_key }) => source_key === remove) : undefined;
  if (leaving) return <RemoveSource sourceKey={leaving.source_key} name={leaving.name} />;
  return (
    <div className="mx-auto max-w-page px-4 pt-6 pb-12 md:px-6 md:pt-8">
      <h1 className="text-h1">Governed sources</h1>
      <p className="mt-1 max-w-read text-ink-2">
        The service retrieves these documents itself when an agent’s grant covers governed sources and its check names
        them. It compares what the agent supplies with them.
      </p>
      <div className="mt-8 grid gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <section aria-labelledby="documents">
          <div className="flex items-baseline justify-between gap-4 border-b border-ink pb-2">
            <h2 id="documents" className="text-h3">
              Documents
            </h2>
            <span className="text-dense text-ink-3 tabular-nums">
              {listed.sources.length} of {sourceBounds.documents_per_account}
            </span>
          </div>
          <Documents all={listed.sources} mayRemove={may('remove_source')} />
        </section>
        {may('add_source') ? <AddSource fault={fault as SourceFault | null} /> : null}
      </div>
    </div>
  );
});

function Documents({ all, mayRemove }: { all: Source[]; mayRemove: boolean }) {
  if (all.length === 0) {
    return (
      <p className="py-6 text-ink-2">No documents yet. Until you add one, checks use only what the agent supplies.</p>
    );
  }
  return (
    <ul>
      {all.map((source) => (
        <li key={source.source_key} className="flex items-start gap-3 border-b border-line py-3">
          <FileText className="icon mt-0.5 text-ink-3" />
          <div className="min-w-0 flex-1">
            <p className="font-medium wrap-anywhere">{source.name}</p>
            <p className="text-dense text-ink-3">
              {source.media_type === 'text/markdown' ? 'Markdown' : 'Text'}, {source.bytes.toLocaleString('en-US')}{' '}
              {source.bytes === 1 ? 'byte' : 'bytes'}, added <Instant at={source.added_at} />
            </p>
            <p className="mt-1 flex flex-wrap gap-x-4 text-dense">
              <CopyVerbatim text={source.source_key} shown={source.source_key} label="Copy the ref" />
              <Digest digest={source.digest} />
            </p>
          </div>
          {mayRemove ? (
            <a href={`/sources?remove=${source.source_key}`} className="btn" aria-label={`Remove ${source.name}`}>
              Remove
            </a>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
