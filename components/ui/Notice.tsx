import { CircleCheck, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const looks: Record<'settled' | 'attention', { icon: LucideIcon; tone: string }> = {
  settled: { icon: CircleCheck, tone: 'tone-settled' },
  attention: { icon: TriangleAlert, tone: 'tone-attention' },
};

interface Props {
  tone: 'settled' | 'attention';
  children: ReactNode;
  /** Leaves the focus to a more specific field. */
  quiet?: boolean;
}

/** One sentence about what happened or went wrong. One per page. */
export function Notice({ tone, children, quiet = false }: Props) {
  const { icon: Icon, tone: className } = looks[tone];
  // A form may be longer than the screen: scroll problems into view.
  const isFirst = tone === 'attention' && !quiet;
  return (
    <p
      className={`notice scroll-mt-4 outline-none ${className}`}
      role={tone === 'attention' ? 'alert' : 'status'}
      tabIndex={isFirst ? -1 : undefined}
      // biome-ignore lint/a11y/noAutofocus: after a refusal, focus the reason
      autoFocus={isFirst}
    >
      <Icon className="icon" />
      <span>{children}</span>
    </p>
  );
}
