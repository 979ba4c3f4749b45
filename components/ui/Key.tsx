/** A key, a code or a name as a machine wrote it. */
export function Key({ children }: { children: string }) {
  return <span className="key">{children}</span>;
}
