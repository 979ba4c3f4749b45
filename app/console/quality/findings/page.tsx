import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { Moment } from '@/components/console/Moment.tsx';
import { State } from '@/components/purchases/State.tsx';
import { stateWord } from '@/components/purchases/states.ts';
import { Key } from '@/components/ui/Key.tsx';
import { caseErrors, type Judged } from '@/server/console/contract/quality.ts';
import { perform } from '@/server/door/perform.ts';
import { may } from '@/server/operation/operator-roles.ts';
import { Problem } from '@/server/problems/problem.ts';
import { lasting } from '@/server/service/terms.ts';
import { Missing, show } from '../../../show.tsx';
import { operatorContext, roleNow, titled } from '../../operator.ts';
import { Told } from '../../Told.tsx';

export const generateMetadata = titled('Judge findings');

const page = '/console/quality/findings';

/** Unjudged findings, each with its statements. */
export default show(async () => {
  if (!may(await roleNow(), 'console_findings')) throw new Missing();
  const { ctx } = await operatorContext();
  const queue = await perform('console_findings', ctx, {}).then(
    ({ body }) => body,
    (error) => {
      if (error instanceof Problem && error.code === 'action_not_allowed') return null;
      throw error;
    },
  );
  if (!queue) {
    return (
      <ConfirmAct
        title="Read findings with the work?"
        button="Open the findings"
        action={`${page}/open`}
        back="/console/quality"
      >
        <p>Findings quote what customers submitted. You can read and judge them for {lasting('contentOpen')}.</p>
      </ConfirmAct>
    );
  }
  return (
    <div className="max-w-read space-y-6">
      <div>
        <Told page={page} done="Kept." />
        <h1 className="text-h1">Judge findings</h1>
        <p className="mt-2 flex flex-wrap gap-x-4 text-dense text-ink-2">
          <span>
            Open until <Moment at={queue.until} now={ctx.now} />
          </span>
          <a className="link inline-flex min-h-6 items-center" href={`${page}/cases`} download>
            Download judged findings as cases
          </a>
        </p>
      </div>
      {queue.findings.length === 0 ? (
        <p className="text-ink-3">All findings of the newest reports are judged.</p>
      ) : null}
      <ul className="border-t border-ink">
        {queue.findings.map((judged) => (
          <Finding key={`${judged.job_key} ${judged.report_number} ${judged.finding}`} judged={judged} />
        ))}
      </ul>
    </div>
  );
});

function Finding({ judged }: { judged: Judged }) {
  const id = `${judged.job_key}-${judged.report_number}-${judged.finding}`;
  return (
    <li className="space-y-2 border-b border-line py-4">
      <p className="flex flex-wrap items-center gap-x-4 text-dense">
        <State kind="finding" value={judged.status} />
        <a className="link wrap-anywhere" href={`/console/purchases/${judged.job_key}/content`}>
          <Key>{judged.job_key}</Key>
        </a>
      </p>
      <h2 className="text-h3 wrap-anywhere">{judged.criterion}</h2>
      <p className="wrap-anywhere text-ink-2">{judged.reason}</p>
      <ul className="space-y-1 text-dense">
        {judged.statements.map(({ text, status, why }) => (
          <li key={text} className="wrap-anywhere">
            “{text}”{' '}
            <span className="text-ink-3">
              {stateWord('statement', status).word}: {why}
            </span>
          </li>
        ))}
      </ul>
      <Beside judged={judged} />
      <form action={`${page}/label`} method="post" className="flex flex-wrap items-end gap-3 text-dense">
        <input type="hidden" name="job_key" value={judged.job_key} />
        <input type="hidden" name="report_number" value={judged.report_number} />
        <input type="hidden" name="finding" value={judged.finding} />
        <div>
          <label className="label" htmlFor={`error-${id}`}>
            Error it found
          </label>
          <select id={`error-${id}`} name="error" className="field min-h-9" defaultValue="">
            <option value="">None</option>
            {caseErrors.map((name) => (
              <option key={name} value={name}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="btn" name="label" value="right">
          Right
        </button>
        <button type="submit" className="btn" name="label" value="wrong">
          Wrong
        </button>
      </form>
    </li>
  );
}

/** The work and the evidence, side by side where there is room. */
function Beside({ judged: { work, evidence } }: { judged: Judged }) {
  const texts = [{ source: 'The work', text: work }, ...evidence];
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {texts.map(({ source, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two pieces of evidence may be alike.
        <section key={index} aria-label={source} className={index === 0 ? 'md:row-span-3' : ''}>
          <h3 className="text-dense text-ink-3 wrap-anywhere">{source}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0} className="verbatim mt-1 max-h-80 overflow-auto p-2 wrap-anywhere whitespace-pre-wrap">
            {text}
          </pre>
        </section>
      ))}
    </div>
  );
}
