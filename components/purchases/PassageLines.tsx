import type { PassageLine } from './passages.ts';

/** Brackets around the passage, across lines. */
export function Cited({ text, opens, closes }: { text: string; opens: boolean; closes: boolean }) {
  const brackets = `${opens ? '' : 'before:content-none!'} ${closes ? '' : 'after:content-none!'}`;
  return <mark className={`cited ${brackets}`}>{text}</mark>;
}

/** The lines around a passage; null says that the text is not the one that was cited. */
export function PassageLines({ lines }: { lines: readonly PassageLine[] | null }) {
  if (lines === null) {
    return <p className="px-4 font-sans text-ink-2">The stored text does not contain the bytes of this citation.</p>;
  }
  const first = lines.findIndex((line) => line.cited);
  const last = lines.findLastIndex((line) => line.cited);
  return lines.map((line, index) => (
    <div key={line.number} className="grid grid-cols-[2.75rem_1fr]">
      <span aria-hidden="true" className="pr-3 text-right text-ink-3 select-none">
        {line.number}
      </span>
      <p dir="auto" className="min-w-0 pr-4 wrap-anywhere whitespace-pre-wrap [unicode-bidi:isolate]">
        {line.before}
        {line.cited ? <Cited text={line.cited} opens={index === first} closes={index === last} /> : null}
        {line.after}
      </p>
    </div>
  ));
}
