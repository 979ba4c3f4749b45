import type { ReactNode } from 'react';

interface Props {
  /** The page above: its name and address. */
  above: readonly [name: string, href: string];
  title: string;
  children?: ReactNode;
}

/** The head of a page that lies below another: the way up, the title, and what the page shows. */
export function SubpageHead({ above: [name, href], title, children }: Props) {
  return (
    <>
      <p className="text-dense">
        <a href={href} className="link inline-flex min-h-6 items-center">
          {name}
        </a>
      </p>
      <h1 className="mt-1 text-h1">{title}</h1>
      {children === undefined ? null : <p className="mt-1 text-ink-2">{children}</p>}
    </>
  );
}
