import { resolveCitation, textAt } from '../../server/work-check/citations.ts';
import { type CheckOutcome, type EvidencePlace, Report, reportDigest } from '../../server/work-check/contract.ts';
import { checkCitationIntegrity } from '../../server/work-check/deterministic/citation-integrity.ts';
import { checkEvidenceFreshness } from '../../server/work-check/deterministic/evidence-freshness.ts';
import { checkEvidenceIntegrity } from '../../server/work-check/deterministic/evidence-integrity.ts';
import { checkRubricCoverage } from '../../server/work-check/deterministic/rubric-coverage.ts';
import { checkSourceCorroboration } from '../../server/work-check/deterministic/source-corroboration.ts';
import { checkWorkProductSchema } from '../../server/work-check/deterministic/work-product-schema.ts';
import { entriesOf } from '../../server/work-check/entries.ts';
import { CheckFailure } from '../../server/work-check/failure.ts';
import { gatherSources } from '../../server/work-check/gather-sources.ts';
import type { EvidenceSource } from '../../server/work-check/reading/evidence-index.ts';
import { validateReport } from '../../server/work-check/validate-report.ts';
import { capOfChecks, capOfFindings, capOfStatements, isWithin, lowest } from '../../server/work-check/verdict.ts';
import type { About, Bundle } from './bundle.ts';
import { BrokenLink, type Link } from './links.ts';
import { checkProofs } from './proofs.ts';

/** What is asked of each report, link by link. */
export const reportLinks: readonly (readonly [Link, (about: About) => void | Promise<void>])[] = [
  ['sources', checkSources],
  ['citations', checkCitations],
  ['checks', checkChecks],
  ['proofs', checkProofs],
  ['verdict', checkVerdict],
  ['form', checkForm],
];

/** A report of the right shape, with the texts that it was made of. */
export function reportAbout(given: object, bundle: Bundle, notRun: string[]): About {
  const parsed = Report.safeParse(given);
  if (!parsed.success) throw new BrokenLink('reports', `A report breaks its contract at ${where(parsed.error)}.`);
  return { report: given as Report, bundle, sources: sourcesOf(bundle), notRun };
}

function checkForm({ report, bundle, sources }: About): void {
  try {
    validateReport(report, bundle.request, bundle.retrieved, sources);
  } catch (error) {
    if (error instanceof CheckFailure) throw new BrokenLink('form', error.message);
    throw error;
  }
}

function sourcesOf({ request, retrieved }: Bundle): EvidenceSource[] {
  try {
    return gatherSources(request, retrieved);
  } catch (error) {
    if (error instanceof CheckFailure) throw new BrokenLink('sources', error.message);
    throw error;
  }
}

/** The sources that the report names are the texts of the bundle, by digest. */
function checkSources({ report, sources }: About): void {
  const { supplied, independently_retrieved } = report.sources;
  const stated = [...supplied, ...independently_retrieved];
  if (stated.length !== sources.length)
    throw new BrokenLink('sources', 'The report names other sources than were given.');
  for (const [at, { ref, digest, origin }] of sources.entries()) {
    const other = stated[at];
    if (other?.ref !== ref || other.origin !== origin || other.digest !== digest)
      throw new BrokenLink('sources', `The report was made of another text than ${ref}.`);
  }
}

function checkCitations({ report: { findings, statements }, sources }: About): void {
  const refuse = (kind: string, at: number, wrong: EvidencePlace | undefined): void => {
    if (wrong)
      throw new BrokenLink('citations', `A citation of ${kind} ${at + 1} leads to no passage of ${wrong.ref}.`);
  };
  for (const [at, { citations = [] }] of findings.entries())
    refuse(
      'finding',
      at,
      citations.find((citation) => resolveCitation(citation, sources) === undefined),
    );
  for (const [at, { citations = [] }] of statements.entries())
    refuse(
      'statement',
      at,
      citations.find((place) => textAt(place, sources) === undefined),
    );
}

/** Runs the deterministic checks again: each must come out as the report says, in every detail. */
async function checkChecks({ report, bundle: { request }, sources }: About): Promise<void> {
  const supplied = sources.filter(({ origin }) => origin === 'supplied');
  const retrieved = sources.filter(({ origin }) => origin === 'retrieved');
  const stated = report.verification.checks;
  const dropped = Number(stated.find(({ check }) => check === 'citation_integrity')?.detail.unknown ?? 0);
  const citations = report.findings.flatMap((finding) => finding.citations ?? []);
  const again: CheckOutcome[] = [
    checkEvidenceIntegrity(supplied),
    checkEvidenceFreshness(supplied, request.max_evidence_age_seconds, new Date(report.checked_at ?? Number.NaN)),
    await checkWorkProductSchema(request),
    checkRubricCoverage(entriesOf(request), report.findings),
    checkCitationIntegrity(citations, dropped, sources),
    checkSourceCorroboration(supplied, retrieved, (request.context?.refs ?? []).length),
  ];
  if (stated.length !== again.length) throw new BrokenLink('checks', 'The report lists more or fewer checks than ran.');
  for (const outcome of again) {
    const said = stated.find(({ check }) => check === outcome.check);
    if (said === undefined || digestOf(said) !== digestOf(outcome))
      throw new BrokenLink('checks', `${outcome.check} comes out otherwise: ${outcome.status}.`);
  }
}

/** What a check comes to. Findings that say the same were merged after their citations had been counted. */
function digestOf({ check, status, detail }: CheckOutcome): string {
  return reportDigest({ check, status, detail: check === 'citation_integrity' ? { unknown: detail.unknown } : detail });
}

/** No verdict is better than the checks, the findings and the statements leave possible. */
function checkVerdict({ report }: About): void {
  const { verdict, model_verdict, verification, findings, statements } = report;
  const best = lowest(capOfChecks(verification.checks), capOfFindings(findings), capOfStatements(statements));
  if (!isWithin(verdict, best)) throw new BrokenLink('verdict', `The verdict can be no better than ${best}.`);
  const said = ['supported', 'insufficient_evidence', 'escalate', 'revise'].find((one) => one === model_verdict);
  if (said !== undefined && !isWithin(verdict, said as Report['verdict']))
    throw new BrokenLink('verdict', 'The verdict is better than the assessor gave.');
}

function where({ issues }: { issues: { path: PropertyKey[] }[] }): string {
  return `/${issues[0]?.path.map(String).join('/')}`;
}
