import type { Finding } from './contract.ts';
import { clip } from './quoting.ts';

/** A shorter reason may be read twice. */
const LONG = 240;
/** So much of a criterion names it. */
const CRITERION_CHARS = 90;
/** A reason opens with its count and the statement that matters most: both are kept, so that each finding stands alone. */
const FIRST =
  /^(?:Of \d+ statements?, [^.]*\. )?.*?\((?:statement \d+|table \d+, row \d+, [^)]*|[\w.[\]]+)\)[.;]?(?:(?: “[^”]*”,?)+ stands? nowhere in the evidence\.)?/s;

/**
 * Says a long reason once: a later finding with the same one keeps its count and its first statement, and names the
 * criterion that lists the rest. Accusations stay whole.
 */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const said = new Map<string, string>();
  return findings.map((finding) => {
    const { reason, criterion, status } = finding;
    if (status === 'contradicted' || status === 'missing' || reason.length < LONG) return finding;
    const first = said.get(reason);
    if (first === undefined) {
      said.set(reason, criterion);
      return finding;
    }
    const opening = (FIRST.exec(reason)?.[0] ?? '').replace(/(?<=\))$/, '.');
    const short = `${opening} The rest is the same as under “${clip(first, CRITERION_CHARS)}”.`.trim();
    return short.length < reason.length ? { ...finding, reason: short } : finding;
  });
}
