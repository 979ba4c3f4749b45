import {
  CircleQuestionMark,
  ClockAlert,
  Gauge,
  LayoutDashboard,
  ListFilter,
  Lock,
  type LucideIcon,
  Megaphone,
  MessageSquareWarning,
  OctagonX,
  Scale,
  ScrollText,
  Undo2,
  Users,
  Webhook,
} from 'lucide-react';
import type { z } from 'zod';
import { type consoleMe, waitingMax } from '@/server/console/contract/overview.ts';

type Waiting = z.infer<typeof consoleMe.output>['waiting'];

interface Place {
  name: string;
  href: string;
  icon: LucideIcon;
  count?: keyof Waiting;
}

const groups: readonly { name: string | null; places: readonly Place[] }[] = [
  {
    name: null,
    places: [
      { name: 'Overview', href: '/console', icon: LayoutDashboard },
      { name: 'Purchases', href: '/console/purchases', icon: ListFilter },
    ],
  },
  {
    name: 'Needs a person',
    places: [
      { name: 'Payments in doubt', href: '/console/money', icon: CircleQuestionMark, count: 'in_doubt' },
      { name: 'Refunds', href: '/console/money#refunds', icon: Undo2, count: 'refunds' },
      { name: 'Blocks', href: '/console/money#blocks', icon: Lock, count: 'blocks' },
      { name: 'Reviews overdue', href: '/console/purchases?is=review:overdue', icon: ClockAlert, count: 'overdue' },
      { name: 'Failed jobs', href: '/console/failures', icon: OctagonX, count: 'failed' },
      { name: 'Disputes', href: '/console/disputes', icon: MessageSquareWarning, count: 'disputes' },
    ],
  },
  {
    name: 'Records',
    places: [
      { name: 'Customers', href: '/console/customers', icon: Users },
      { name: 'Ledger', href: '/console/ledger', icon: Scale },
      { name: 'Webhooks', href: '/console/webhooks', icon: Webhook },
      { name: 'Incidents', href: '/console/incidents', icon: Megaphone },
      { name: 'Quality', href: '/console/quality', icon: Gauge },
      { name: 'Audit log', href: '/console/audit', icon: ScrollText },
    ],
  },
];

const countText = (count: number): string =>
  count < waitingMax ? String(count) : `${waitingMax.toLocaleString('en')}+`;

/** The console's navigation, with the number of items waiting in each place. */
export function ConsoleNav({ label, waiting }: { label: string; waiting: Waiting }) {
  return (
    <nav aria-label={label} className="flex-1 space-y-5 px-3 py-2">
      {groups.map(({ name, places }) => (
        <div key={name}>
          {name ? <p className="eyebrow px-2 pb-1.5">{name}</p> : null}
          <ul className="space-y-px">
            {places.map(({ name: place, href, icon: Icon, count }) => (
              <li key={href}>
                <a
                  href={href}
                  className="flex min-h-8 items-center gap-2.5 rounded-control px-2 text-dense text-ink-2 hover:bg-hover"
                >
                  <Icon className="icon text-ink-3" />
                  {place}
                  {count ? <span className="ml-auto text-ink-3 tabular-nums">{countText(waiting[count])}</span> : null}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
