'use client';

import { useEffect, useState } from 'react';
import type { z } from 'zod';
import type { consolePurchases, Row } from '@/server/console/contract/purchases.ts';
import { ask } from './ask.ts';
import { PurchaseTable } from './PurchaseTable.tsx';

const everyMs = 5_000;

interface Props {
  /** The purchases that the server rendered. */
  rows: readonly Row[];
  input: z.input<typeof consolePurchases.input>;
  sortHref: string;
  now: string;
  /** Whether rows can be selected for an action. */
  choosing: boolean;
}

/** The first page of purchases, refreshed while visible; a button pauses that. */
export function LivePurchases({ rows, input, sortHref, now, choosing }: Props) {
  const [shown, setShown] = useState({ rows, now });
  const [state, setState] = useState<'still' | 'live' | 'paused' | 'lost'>('still');
  const asked = JSON.stringify(input);
  useEffect(() => setShown({ rows, now }), [rows, now]);
  useEffect(() => setState('live'), []);
  const isOn = state === 'live' || state === 'lost';
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const { purchases } = await ask('console_purchases', JSON.parse(asked));
        setShown({ rows: purchases, now: new Date().toISOString() });
        setState((before) => (before === 'lost' ? 'live' : before));
      } catch {
        setState((before) => (before === 'live' ? 'lost' : before));
      }
    }, everyMs);
    return () => clearInterval(timer);
  }, [isOn, asked]);
  return (
    <>
      {state === 'still' ? null : (
        <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 text-dense text-ink-3">
          <button type="button" className="btn btn-sm" onClick={() => setState(isOn ? 'paused' : 'live')}>
            {isOn ? 'Pause updates' : 'Resume updates'}
          </button>
          <span>
            {state === 'lost' ? 'The service is not answering.  ' : state === 'paused' ? 'Paused. ' : 'Live. '}
            As of {shown.now.slice(11, 19)} UTC
          </span>
        </div>
      )}
      <PurchaseTable
        rows={shown.rows}
        sort={input.sort ?? 'newest'}
        sortHref={sortHref}
        now={new Date(shown.now)}
        choosing={choosing}
      />
    </>
  );
}
