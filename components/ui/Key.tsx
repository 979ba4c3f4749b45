/** A key, code or name, verbatim. */
export function Key({ children }: { children: string }) {
  return <span className="key">{children}</span>;
}
