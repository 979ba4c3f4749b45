import type { JsonValue } from '@/server/kernel/json-value.ts';
import type { Report, ReportedStatement } from '@/server/work-check/contract.ts';
import { byteText } from './byte-text.ts';
import type { EvidenceText } from './PassagePanel.tsx';

/** A statement of the work and what speaks against it, each in the words at issue. */
export interface Disagreement {
  /** The statement's number in the report, from 1. */
  number: number;
  status: ReportedStatement['status'];
  claimed: string;
  known: string;
  /** The source that says `known`; null when the work's own figures or words do. */
  source: string | null;
  /** The whole statement and the whole passage, where they say more than the words at issue; null once deleted. */
  said: string | null;
  quoted: string | null;
  /** What was worked out, unless `known` says it. */
  computed: string | null;
  /** The rule, or the models, that decided. */
  by: readonly string[];
}

const rank: Partial<Record<ReportedStatement['status'], number>> = { contradicted: 0, undecided: 1 };

/** The longer text, where it says more than the words at issue and contains them. */
const around = (whole: string | null, words: string): string | null =>
  whole !== null && whole.trim() !== words.trim() && whole.includes(words) ? whole : null;

/** What in a report does not agree: contradicted statements first, then undecided ones, each in the work's order. */
export function disagreementsOf(
  report: Report,
  work: JsonValue,
  evidence: readonly EvidenceText[] | null,
): Disagreement[] {
  const sources = [...report.sources.supplied, ...report.sources.independently_retrieved];
  const workText = typeof work === 'string' ? byteText(work) : null;
  const texts = new Map(evidence?.map(({ ref, text }) => [ref, byteText(text)]));
  const found = report.statements.flatMap((statement, index): Disagreement[] => {
    const { status, compared, computed, citations = [], start = -1, end = -1, by = [] } = statement;
    if (compared === undefined || rank[status] === undefined) return [];
    const { claimed, known } = compared;
    const quotes = citations.map(({ ref, start: from, end: to }) => ({
      ref,
      quote: texts.get(ref)?.slice(from, to) ?? null,
    }));
    const cited = quotes.find(({ quote }) => quote?.includes(known)) ?? quotes[0];
    return [
      {
        number: index + 1,
        status,
        claimed,
        known,
        source: sources.find(({ ref }) => ref === cited?.ref)?.source ?? null,
        said: around(workText?.slice(start, end) ?? null, claimed),
        quoted: around(cited?.quote ?? null, known),
        computed: computed === undefined || known.includes(computed) ? null : computed,
        by,
      },
    ];
  });
  return found.sort((a, b) => (rank[a.status] ?? 0) - (rank[b.status] ?? 0));
}
