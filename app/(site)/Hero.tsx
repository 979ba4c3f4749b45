import { Cited } from '@/components/purchases/PassageLines.tsx';
import type { EvidenceText } from '@/components/purchases/PassagePanel.tsx';
import { Price } from '@/components/purchases/Price.tsx';
import { citedPassages, linesAround, passageNumbers } from '@/components/purchases/passages.ts';
import { State, StateBadge } from '@/components/purchases/State.tsx';
import { summaryBesideVerdict } from '@/components/purchases/VerdictSummary.tsx';
import { MarkedWork } from '@/components/purchases/WorkView.tsx';
import { blocksOf } from '@/components/purchases/work-text.ts';
import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report } from '@/server/work-check/contract.ts';

interface SampleProps {
  report: Report;
  work: JsonValue;
  evidence: readonly EvidenceText[];
}

/** Three findings of the sample, in its order: the first one met, the first one not met, and another that cites. */
function tellingFindings({ findings }: Report): Report['findings'] {
  const met = findings.find(({ status }) => status === 'met');
  const [first, ...others] = findings.filter(({ status }) => status !== 'met');
  const cites = others.find(({ citations = [] }) => citations.length > 0);
  return findings.filter((finding) => [met, first, cites].includes(finding));
}

function Sample({ report, work, evidence }: SampleProps) {
  const passages = citedPassages(report.findings, report.statements);
  const shown = tellingFindings(report);
  return (
    <figure id="sample" className="panel min-w-0 overflow-hidden">
      <figcaption className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-3 text-dense text-ink-3">
        <span className="font-medium text-ink">A delivered report</span>
        <span className="md:ml-auto">Illustrative sample</span>
      </figcaption>
      <div className="px-5 pt-5">
        <StateBadge kind="verdict" value={report.verdict} />
        <p className="mt-3 text-body">{summaryBesideVerdict(report)}</p>
      </div>
      {blocksOf(work, report.statements).map(({ pieces, statements }) => (
        <p
          key={statements.join()}
          className="mx-5 mt-4 rounded-control bg-sunken px-4 py-3 font-mono text-dense leading-6 wrap-anywhere whitespace-pre-wrap"
        >
          <MarkedWork pieces={pieces} statements={report.statements} page="/sample-report" />
        </p>
      ))}
      <div className="relative mt-4 overflow-x-auto">
        <table className="table">
          <caption className="sr-only">Some findings of the sample report</caption>
          <thead>
            <tr>
              <th scope="col" className="pl-5!">
                Criterion
              </th>
              <th scope="col">Finding</th>
              <th scope="col" className="pr-5! text-right!">
                Cited
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((finding) => (
              <tr key={finding.criterion}>
                <td className="pl-5!">{finding.criterion}</td>
                <td>
                  <State kind="finding" value={finding.status} />
                </td>
                <td className="pr-5!">
                  <div className="flex flex-wrap justify-end gap-y-1">
                    {passageNumbers(finding, passages).map((number) => (
                      <a key={number} href={`/sample-report#passage-${number}`} className="cite">
                        <span className="sr-only">Citation </span>[{number}]
                      </a>
                    ))}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CitedPassage report={report} work={work} evidence={evidence} />
    </figure>
  );
}

/** The passage cited by the last finding shown. */
function CitedPassage({ report, evidence }: SampleProps) {
  const passages = citedPassages(report.findings);
  const last = tellingFindings(report).findLast((finding) => (finding.citations ?? []).length > 0);
  const passage = passages.find((each) => last && passageNumbers(last, passages)[0] === each.number);
  const source = report.sources.supplied.find((each) => each.ref === passage?.ref);
  const text = evidence.find((each) => each.ref === passage?.ref)?.text;
  const lines = passage && text !== undefined ? linesAround(text, passage.start, passage.end) : null;
  if (!passage || !lines) return null;
  const cited = lines.filter((line) => line.cited);
  return (
    <div className="border-t border-line bg-sunken px-5 py-4">
      <p className="text-meta text-ink-3">
        <span className="font-mono text-accent">[{passage.number}]</span> {source?.source} · supplied by the buyer
      </p>
      {cited.map((line, index) => (
        <p key={line.number} className="mt-2 font-mono text-dense leading-6 wrap-anywhere">
          {line.before}
          <Cited text={line.cited} opens={index === 0} closes={index === cited.length - 1} />
          {line.after}
        </p>
      ))}
    </div>
  );
}

/** What a buyer gets here, as specification 7 and 8 have it. */
const special = [
  'Your payment is held until you accept the report.',
  'Disagree, and it is checked again; disagree again, and you pay nothing.',
  'Receipts are signed: anyone can verify one, without us.',
  'Our books are compared with the chain and the card provider all day.',
];

export function Hero({ microcents, sample }: { microcents: number | bigint; sample: SampleProps }) {
  return (
    <section className="mx-auto grid max-w-page items-start gap-x-16 gap-y-12 px-4 pt-12 pb-16 md:px-6 lg:grid-cols-[minmax(0,28rem)_minmax(0,1fr)] lg:pt-20 lg:pb-20">
      <div className="lg:pt-6">
        <h1 className="text-display-sm lg:text-display">Check an agent’s work before you rely on it.</h1>
        <p className="mt-5 text-lead text-ink-2">
          Send the work, the request and the evidence. Get findings with citations, the checks performed, what was not
          checked, and a verdict for your review.
        </p>
        <ul className="mt-5 list-disc space-y-1.5 pl-5 text-ui text-ink-2">
          {special.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <div className="mt-8 flex flex-wrap gap-3">
          <a href="#connect" className="btn btn-primary btn-lg">
            Connect your agent
          </a>
          <a href="/sample-report" className="btn btn-lg">
            Read a full sample
          </a>
        </div>
        <p className="mt-8 text-ui text-ink-2">
          <strong className="font-semibold text-ink">
            <Price microcents={microcents} />
          </strong>{' '}
          per check, prepaid. No subscription.
        </p>
      </div>
      <Sample {...sample} />
    </section>
  );
}
