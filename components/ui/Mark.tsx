/** The logo: a citation's brackets around a check. Decorative; the name is beside it. */
export function Mark({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 32 24" className={className} fill="none" strokeWidth="2.5" aria-hidden="true">
      <path d="M8 2H2v20h6M24 2h6v20h-6" stroke="currentColor" />
      <path d="m9.5 12.5 4.5 4.5 8.5-10" className="stroke-accent" strokeWidth="2.75" />
    </svg>
  );
}
