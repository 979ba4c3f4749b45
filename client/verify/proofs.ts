import { citePassage, textAt } from '../../server/work-check/citations.ts';
import type { ReportedStatement } from '../../server/work-check/contract.ts';
import { Records } from '../../server/work-check/engines/records.ts';
import { judgeStatements } from '../../server/work-check/judge/judge-statements.ts';
import type { Ground, Stretch } from '../../server/work-check/kernel/decide.ts';
import { KERNEL_VERSION, prove } from '../../server/work-check/kernel/prove.ts';
import { type EvidenceIndex, indexEvidence } from '../../server/work-check/reading/evidence-index.ts';
import { readWork, type Statement, type Work } from '../../server/work-check/statements.ts';
import type { About } from './bundle.ts';
import { BrokenLink } from './links.ts';

type Proof = NonNullable<ReportedStatement['proof']>;
/** A place of the evidence, in UTF-8 byte offsets. */
type Place = { ref: string; start: number; end: number };

/**
 * Runs every proof again. Each statement must be one of the work; the places of its proof must lie in the evidence; and
 * the kernel must find the same proof there. What a language model read cannot be run again, and is said so.
 */
export function checkProofs({ report, bundle: { request }, sources, notRun }: About): void {
  const work = readWork(request.work_product);
  const evidence = indexEvidence(sources);
  const byKernel = report.kernel_version === KERNEL_VERSION;
  if (!byKernel)
    notRun.push(
      `The proofs are of kernel ${report.kernel_version ?? 'unknown'}; this program has kernel ${KERNEL_VERSION}.`,
    );
  const replay = new Replay(work, evidence);
  let read = 0;
  for (const [at, statement] of report.statements.entries()) {
    const own = work.statements[at];
    const n = `Statement ${at + 1}`;
    if (own === undefined || !standsAt(statement, own, work))
      throw new BrokenLink('proofs', `${n} is none of the work, or stands elsewhere in it.`);
    const { proof, status } = statement;
    if (proof === undefined) {
      if (status === 'supported') throw new BrokenLink('proofs', `${n} is called supported without a proof.`);
      continue;
    }
    const places = placesOf(proof);
    if (places.some((place) => textAt(place, sources) === undefined))
      throw new BrokenLink('proofs', `The proof of ${n.toLowerCase()} names a place that no source has.`);
    if (isOfAModel(statement, proof)) read += 1;
    else if (byKernel && !replay.holds(at, proof, places))
      throw new BrokenLink('proofs', `The proof of ${n.toLowerCase()} does not hold.`);
  }
  if (report.statements.length < work.statements.length)
    throw new BrokenLink('proofs', 'The report leaves statements of the work out.');
  if (read > 0) notRun.push(`${read} statements rest on what language models read; only the places were looked up.`);
}

/** Names that rules give to what the kernel proved. */
const PROVEN_BY = new Set<string>(['verbatim', 'value', 'computed']);

function isOfAModel({ by = [] }: ReportedStatement, proof: Proof): boolean {
  return (
    proof.is === 'read' || proof.is === 'otherwise' || proof.is === 'absent' || !by.some((name) => PROVEN_BY.has(name))
  );
}

function placesOf(proof: Proof): Place[] {
  const places = {
    verbatim: () => (proof.is === 'verbatim' ? proof.at : []),
    value: () => (proof.is === 'value' ? proof.known : []),
    computed: () => (proof.is === 'computed' ? proof.operands : []),
    read: () => (proof.is === 'read' ? proof.quotes : []),
    otherwise: () => (proof.is === 'otherwise' ? proof.known : []),
    absent: () => [],
  };
  return places[proof.is]().filter((place) => 'ref' in place);
}

/** Whether a statement of the report is the one of the work at its place. */
function standsAt(stated: ReportedStatement, { place, kind }: Statement, { value }: Work): boolean {
  if (stated.kind !== kind) return false;
  if ('path' in place) return stated.path === place.path;
  const text = typeof value === 'string' ? value : '';
  const bytes = (at: number) => Buffer.byteLength(text.slice(0, at));
  return stated.start === bytes(place.start) && stated.end === bytes(place.end);
}

/** Finds proofs as the service found them. */
class Replay {
  private readonly work: Work;
  private readonly evidence: EvidenceIndex;
  private readonly records: Records;
  private judged: ReturnType<typeof judgeStatements>['judged'] | undefined;

  constructor(work: Work, evidence: EvidenceIndex) {
    this.work = work;
    this.evidence = evidence;
    this.records = new Records(work.value, evidence);
  }

  /** Whether the kernel finds the proof at its places; a calculation must be the one that the rules come to. */
  holds(at: number, proof: Proof, places: readonly Place[]): boolean {
    const statement = this.work.statements[at] as Statement;
    const known = places.map((place) => this.stretchOf(place));
    const here = this.evidence.passages.flatMap(({ source, start, end }, passage) => {
      const ref = this.evidence.sources[source]?.ref;
      return known.some((one) => one.ref === ref && start < one.end && end > one.start) ? [passage] : [];
    });
    const offered = { by: 'places', passages: known };
    const found = prove(statement, offered, here, { index: this.evidence, records: this.records });
    return this.isSame(found, proof, places) || this.isSame(this.byRules(at), proof, places);
  }

  private byRules(at: number): Ground | undefined {
    this.judged ??= judgeStatements(this.work, this.evidence, undefined, () => {}).judged;
    return this.judged[at]?.opinions.find(({ says, proof }) => says === 'supports' && proof !== undefined)?.proof;
  }

  private isSame(found: Ground | undefined, proof: Proof, places: readonly Place[]): boolean {
    if (found?.is !== proof.is) return false;
    if (found.is === 'computed' && proof.is === 'computed')
      if (found.expression !== proof.expression || found.result !== proof.result) return false;
    const own = found.is === 'computed' ? found.operands : found.is === 'read' ? found.quotes : found.known;
    const cited = own.map((stretch) => citePassage(stretch, this.evidence.sources));
    return (
      cited.length === places.length &&
      cited.every((one, at) => {
        const place = places[at];
        return one?.ref === place?.ref && one?.start === place?.start && one?.end === place?.end;
      })
    );
  }

  /** In UTF-16 offsets. */
  private stretchOf({ ref, start, end }: Place): Stretch {
    const text = this.evidence.sources.find((source) => source.ref === ref)?.text ?? '';
    const bytes = Buffer.from(text);
    const from = bytes.subarray(0, start).toString().length;
    return { ref, start: from, end: from + bytes.subarray(start, end).toString().length };
  }
}
