import type { Citation, EvidencePlace } from './contract.ts';
import type { EvidenceSource } from './reading/evidence-index.ts';

const encoder = new TextEncoder();
const encoded = new WeakMap<EvidenceSource, Uint8Array>();

/** A source's text as UTF-8, where that is not the text itself: several citations of it are made and followed. */
function bytesOf(source: EvidenceSource): Uint8Array {
  let bytes = encoded.get(source);
  if (bytes === undefined) {
    bytes = encoder.encode(source.text);
    encoded.set(source, bytes);
  }
  return bytes;
}

/** Whether each character of a source is one byte, so that its offsets are the same in either count. */
const isAscii = ({ bytes, text }: EvidenceSource): boolean => bytes === text.length;

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Turns a passage given by UTF-16 offsets into a citation by UTF-8 byte offsets, or undefined when no source has that
 * reference or the offsets lie outside its text.
 */
export function citePassage(
  passage: { ref: string; start: number; end: number },
  sources: readonly EvidenceSource[],
): Citation | undefined {
  const source = sources.find(({ ref }) => ref === passage.ref);
  if (source === undefined) return undefined;
  const { start, end } = passage;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return undefined;
  if (start < 0 || end <= start || end > source.text.length) return undefined;
  if (isAscii(source)) return { ref: source.ref, digest: source.digest, start, end };
  if (splitsPair(source.text, start) || splitsPair(source.text, end)) return undefined;
  const from = encoder.encode(source.text.slice(0, start)).length;
  const to = from + encoder.encode(source.text.slice(start, end)).length;
  return { ref: source.ref, digest: source.digest, start: from, end: to };
}

function splitsPair(text: string, at: number): boolean {
  return (
    at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
  );
}

/** The passage a citation leads to, or undefined when reference, digest, range or character borders do not hold. */
export function resolveCitation(citation: Citation, sources: readonly EvidenceSource[]): string | undefined {
  const source = sources.find(({ ref }) => ref === citation.ref);
  return source?.digest === citation.digest ? textAt(citation, sources) : undefined;
}

/** The passage at a place of the evidence, or undefined when reference, range or character borders do not hold. */
export function textAt(citation: EvidencePlace, sources: readonly EvidenceSource[]): string | undefined {
  const source = sources.find(({ ref }) => ref === citation.ref);
  if (source === undefined) return undefined;
  const { start, end } = citation;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end <= start || end > source.bytes)
    return undefined;
  if (isAscii(source)) return source.text.slice(start, end);
  try {
    return strictDecoder.decode(bytesOf(source).subarray(start, end));
  } catch {
    // The range cuts a character: it names no passage.
    return undefined;
  }
}
