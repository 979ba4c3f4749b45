import type { JudgedStatement } from './assessors/port.ts';
import { readStatement, type StatementReading } from './contradictions.ts';
import type { EvidenceIndex } from './reading/evidence-index.ts';
import type { Work } from './statements.ts';
import { type Judged, judge } from './assessors/judging.ts';

export function judgeStatements(
  work: Work,
  evidence: EvidenceIndex,
  signal: AbortSignal | undefined,
  onShare: (share: number) => void,
): { judged: JudgedStatement[]; readings: StatementReading[] } {
  const readings: StatementReading[] = [];
  const judged = work.statements.map((statement, index) => {
    signal?.throwIfAborted();
    onShare(index / work.statements.length);
    const reading = readStatement(statement, evidence);
    readings.push(reading);
    return plainly(judge(reading, evidence), evidence);
  });
  return { judged, readings };
}

function plainly({ reading, standing, score, passages }: Judged, evidence: EvidenceIndex): JudgedStatement {
  const { statement } = reading;
  const status = standing === 'supported' ? 'supported' : standing === 'contradicted' ? 'contradicted' : 'not_found';
  return {
    statement,
    status,
    score,
    why: `${standing} ${score.toFixed(2)} ${reading.faults.map((f) => `${f.kind}:${f.contradicts}:${f.claimed}/${f.known}`).join('; ')}`,
    passages: passages.slice(0, 1).flatMap((at) => {
      const passage = evidence.passages[at];
      const ref = evidence.sources[passage?.source ?? -1]?.ref;
      return passage === undefined || ref === undefined ? [] : [{ ref, start: passage.start, end: passage.end }];
    }),
  };
}
