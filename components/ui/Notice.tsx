import { Clock, Info, Lock, OctagonAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const kinds = {
  quiet: { icon: Info, className: '' },
  attention: { icon: Clock, className: 'tone-attention' },
  person: { icon: Lock, className: 'tone-person' },
  fault: { icon: OctagonAlert, className: 'tone-fault' },
} as const;

/** A state that needs a sentence; at most one in a view. */
export function Notice({ kind, children }: { kind: keyof typeof kinds; children: ReactNode }) {
  const { icon: Icon, className } = kinds[kind];
  return (
    <div className={`notice ${className}`}>
      <Icon className="icon" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
