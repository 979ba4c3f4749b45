import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Overview } from '@/server/console/contract/overview.ts';
import { NOT_SET_UP } from '../purchases/Availability.tsx';
import { Price } from '../purchases/Price.tsx';
import { partsOf } from './Health.tsx';

interface Props {
  overview: Overview;
  inDoubt: number;
  now: Date;
}

interface Fault {
  key: string;
  page: string;
  text: ReactNode;
}

/** What needs attention now, each linked to the page where it is fixed. Nothing when all is well. */
export function Trouble(props: Props) {
  const faults = faultsIn(props);
  if (faults.length === 0) return null;
  return (
    <section className="notice tone-person mt-5" aria-label="Needs attention now">
      <TriangleAlert className="icon" />
      <ul className="min-w-0 flex-1">
        {faults.map(({ key, page, text }) => (
          <li key={key}>
            <a href={page} className="inline-flex min-h-6 flex-wrap items-center hover:underline">
              <span>{text}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function faultsIn({ overview, inDoubt, now }: Props): Fault[] {
  const { chains, card } = overview;
  const differ = (name: string, theirs: number | null, ours: number): Fault[] =>
    theirs === null || theirs === ours
      ? []
      : [
          {
            key: `books ${name}`,
            page: '/console/ledger',
            text: (
              <>
                <strong className="font-semibold">{name} and books differ</strong> by{' '}
                <Price microcents={theirs - ours} />
              </>
            ),
          },
        ];
  return [
    ...chains.flatMap((one) => differ(one.network, one.balance_microcents, one.ledger_microcents)),
    ...(card ? differ('Card provider', card.balance_microcents, card.ledger_microcents) : []),
    ...(inDoubt > 0
      ? [
          {
            key: 'doubt',
            page: '/console/money',
            text: (
              <strong className="font-semibold">
                {inDoubt} {inDoubt === 1 ? 'payment is' : 'payments are'} in doubt.
              </strong>
            ),
          },
        ]
      : []),
    ...partsOf(overview, now).flatMap(({ name, state, detail, page }) =>
      state === 'available' || state === 'open' || detail === NOT_SET_UP
        ? []
        : [
            {
              key: name,
              page: page ?? '#health',
              text: (
                <>
                  <strong className="font-semibold">{name}:</strong> {detail}
                </>
              ),
            },
          ],
    ),
  ];
}
