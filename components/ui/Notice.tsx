import { CircleCheck, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const looks: Record<'settled' | 'attention', { icon: LucideIcon; tone: string }> = {
  settled: { icon: CircleCheck, tone: 'tone-settled' },
  attention: { icon: TriangleAlert, tone: 'tone-attention' },
};

/** What happened, or what stands in the way, in one sentence. One for a page. */
export function Notice({ tone, children }: { tone: 'settled' | 'attention'; children: ReactNode }) {
  const { icon: Icon, tone: className } = looks[tone];
  return (
    <p className={`notice ${className}`} role={tone === 'attention' ? 'alert' : 'status'}>
      <Icon className="icon" />
      <span>{children}</span>
    </p>
  );
}
