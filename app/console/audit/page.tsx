import { ShieldCheck } from 'lucide-react';
import { Moment } from '@/components/console/Moment.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { show } from '../../show.tsx';
import { operatorContext, readForOperator, titled } from '../operator.ts';

export const generateMetadata = titled('Audit log');

/** What operators did, and whether the record was changed. */
export default show(
  async ({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) => {
    const { after, verify } = await searchParams;
    const { acts, next_after } = await readForOperator('console_acts', typeof after === 'string' ? { after } : {});
    const verified = verify === '1' ? await readForOperator('verify_acts', {}) : null;
    const { ctx } = await operatorContext();
    return (
      <>
        <div className="flex flex-wrap items-center gap-4">
          <h1 className="text-h1">Audit log</h1>
          <form action="/console/audit" method="get" className="ml-auto">
            <button type="submit" className="btn btn-sm" name="verify" value="1">
              <ShieldCheck className="icon" />
              Verify
            </button>
          </form>
        </div>
        {verified ? (
          <div className="mt-5">
            <Notice tone={verified.broken.length === 0 ? 'settled' : 'attention'}>
              {verified.broken.length === 0
                ? `Intact: ${verified.acts} operator actions and ${verified.rows} rows of the purchases they affected. ${sealWords(verified)}`
                : `Not intact: ${verified.broken.map(({ subject, sequence, fault }) => `${subject} ${sequence} ${fault}`).join(', ')}.`}
            </Notice>
          </div>
        ) : null}
        <ul className="mt-6 border-t border-ink text-dense">
          {acts.map((act) => (
            <li
              key={`${act.subject} ${act.sequence}`}
              className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line py-2.5"
            >
              <span className="text-ink-3">
                <Moment at={act.at} now={ctx.now} />
              </span>
              <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
                <span className="font-medium">{act.action.replaceAll('_', ' ')}</span>{' '}
                {act.amount_microcents === null ? null : <Price microcents={act.amount_microcents} />}
                <span className="block">{act.reason}</span>
                {act.purchase_key ? (
                  <a
                    className="link key inline-flex min-h-6 items-center"
                    href={`/console/purchases/${act.purchase_key}`}
                  >
                    {act.purchase_key}
                  </a>
                ) : (
                  <span className="key text-ink-3">{act.subject}</span>
                )}
              </span>
              <span className="wrap-anywhere text-ink-2">
                {act.actor}, {act.role}
                <span className="key block text-meta text-ink-3">{act.hash.slice(0, 16)}</span>
              </span>
            </li>
          ))}
        </ul>
        {acts.length === 0 ? <p className="mt-4 text-ink-3">No operator actions yet.</p> : null}
        {next_after ? (
          <a className="btn mt-5" href={`/console/audit?${new URLSearchParams({ after: next_after })}`}>
            Older
          </a>
        ) : null}
      </>
    );
  },
);

/** The result of recomputing the seals. */
function sealWords({
  seals,
  sealed_rows,
  sealed_since,
}: {
  seals: number;
  sealed_rows: number;
  sealed_since: string | null;
}) {
  if (seals === 0 || sealed_since === null) return 'Nothing has been sealed yet.';
  const since = `${sealed_since.slice(0, 10)} ${sealed_since.slice(11, 16)} UTC`;
  return `The newest ${seals} seals are intact too: since ${since}, ${sealed_rows} rows of all purchases.`;
}
