import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Bookkeeping } from '@/server/purchases/bookkeeping-contract.ts';
import { PurchaseFilters } from './PurchaseFilters.tsx';
import { StatementView } from './StatementView.tsx';
import { WaitingList } from './WaitingList.tsx';

const at = '2026-11-20T09:00:00.000Z';
const bought_by = { agent_key: 'agent_1', kind: 'agent', name: 'Procurement <b>' } as const;
const books = {
  receipts: [
    {
      number: '2026-000042',
      job_key: 'job_1',
      issued_at: at,
      seller: { name: 'Example Checks Ltd', email: 'a@b.example', address: '1 Street', tax_id: 'GB1' },
      buyer: null,
      amount_microcents: 500_000_000,
      title: '=cmd()',
      bought_by,
      collected_at: at,
      charge_state: 'final',
    },
  ],
  sums: { count: 1, collected_microcents: 500_000_000, charged_microcents: 500_000_000, given_back_microcents: 0 },
  next_after: null,
} as unknown as Bookkeeping;

it('a statement shows number, parties and sums, and what an agent wrote as text', () => {
  const html = renderToStaticMarkup(
    <StatementView month="2026-11" books={books} buyer={{ name: 'Buyer GmbH', address: '2 Road', tax_id: null }} />,
  );
  for (const words of ['Statement for November 2026', '2026-000042', 'Tax number GB1', 'Buyer GmbH\n2 Road', '5.00']) {
    expect(html).toContain(words);
  }
  expect(html).toContain('Procurement &lt;b&gt;');
});

it('the list of what waits is not there while nothing waits', () => {
  expect(renderToStaticMarkup(<WaitingList approvals={[]} reports={[]} allReports={null} />)).toBe('');
});

it('the filters keep what is chosen, and offer agents only where there are several', () => {
  const html = renderToStaticMarkup(<PurchaseFilters agents={[bought_by]} shown={{ verdict: 'revise' }} />);
  expect(html).toMatch(/<option value="revise" selected="">/);
  expect([html.includes('name="agent_key"'), html.includes('Show all')]).toEqual([false, true]);
});
