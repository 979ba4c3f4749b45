import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { AvailabilityFacts } from './Availability.tsx';
import { ServiceStatus } from './ServiceStatus.tsx';

const up: AvailabilityFacts = {
  checked_at: '2026-11-22T20:00:00.000Z',
  contract_version: 'svc.work_check.v1',
  price: { amount_microcents: 500_000_000, currency: 'USD', pricing_status: 'approved' },
  purchasable_rails: ['x402'],
  rails: {
    card: { methods: [], mode: 'unknown', reasons: ['card_disabled'], state: 'unavailable' },
    x402: { networks: ['eip155:84532'], reasons: [], state: 'available' },
  },
  reasons: [],
  registrations: { state: 'open', reasons: [] },
  service_key: 'svc_work_check',
  state: 'available',
} as AvailabilityFacts;

const wordsOf = (availability: AvailabilityFacts) =>
  renderToStaticMarkup(<ServiceStatus availability={availability} />)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the status page', () => {
  it('says of service, rails, registration and database that they can be used', () => {
    const words = wordsOf(up);
    expect(words).toContain('Checks can be bought.');
    for (const part of ['Checks', 'Payment in USDC', 'Payment by card', 'Registration', 'Database']) {
      expect(words).toContain(part);
    }
    expect(words).toContain('Switched off');
  });

  it('says what stands in the way, in words, without a code or a figure', () => {
    const words = wordsOf({
      ...up,
      state: 'unavailable',
      reasons: ['database_unreachable', 'no_payment_rail_available'],
      rails: { ...up.rails, x402: { ...up.rails.x402, reasons: ['chain_unreachable'], state: 'unavailable' } },
      registrations: { state: 'closed', reasons: ['mail_unreachable'] },
    } as AvailabilityFacts);
    expect(words).toContain('Checks cannot be bought right now.');
    expect(words).toContain('The database is not answering right now');
    expect(words).toContain('Letters cannot be sent right now');
    expect(words).not.toMatch(/_/);
  });
});
