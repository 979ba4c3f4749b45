import { CopyButton } from './CopyButton.tsx';

/** Verbatim text to copy, with a title. `wrap` is for prose; code scrolls sideways. */
export function CodeBlock({ name, code, wrap = false }: { name: string; code: string; wrap?: boolean }) {
  return (
    <figure className="verbatim border border-line">
      <figcaption className="flex min-h-10 flex-wrap items-center gap-x-2 border-b border-line py-1 pr-1 pl-4 font-sans text-dense text-ink-3">
        <span className="wrap-anywhere">{name}</span>
        <span className="ml-auto">
          <CopyButton text={code} label={name} />
        </span>
      </figcaption>
      {wrap ? (
        <pre className="p-4 wrap-anywhere whitespace-pre-wrap">
          <code>{code}</code>
        </pre>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work without a mouse
        <section aria-label={name} tabIndex={0} className="overflow-x-auto p-4">
          <pre>
            <code>{code}</code>
          </pre>
        </section>
      )}
    </figure>
  );
}
