import { describe, expect, it } from 'vitest';
import { jobStates, paymentStates, quoteStates } from '@/server/purchases/states.ts';
import { declineWords } from '../purchases/decline-words.ts';
import { storyOf, type Told } from './purchase-words.ts';

const told: Told = {
  job_key: 'job_1',
  state: 'delivered',
  payment_state: 'collected',
  charge_state: 'held',
  review_state: 'open',
  rail: 'card',
  verdict: 'revise',
  failure: null,
  decline: null,
  movements: { takings: [], refunds: [] },
};

describe('the story of a purchase', () => {
  it('is a sentence for each state, without a raw word of the database', () => {
    for (const state of jobStates) {
      for (const payment_state of paymentStates) {
        const story = storyOf({
          ...told,
          state,
          payment_state,
          failure: 'check_failed',
          verdict: 'insufficient_evidence',
        });
        expect([state, payment_state, story]).toEqual([state, payment_state, expect.stringMatching(/^[A-Z].*\.$/)]);
        expect(story).not.toContain('_');
      }
    }
    for (const state of quoteStates) expect(storyOf({ ...told, job_key: null, state })).toMatch(/^Quoted.*\.$/);
  });

  it('says of an unpaid one that it waits for its payer, and why the bank refused the newest charge', () => {
    const waiting = { ...told, state: 'awaiting_payment', payment_state: 'requires_payer', verdict: null };
    expect(storyOf(waiting)).toBe('Not paid yet: it waits for the payer, on the page of the payment.');
    const decline = { code: 'insufficient_funds', at: '2026-11-24T10:00:00.000Z', intent_id: 'pi_1' };
    expect(storyOf({ ...waiting, decline })).toMatch(/newest charge: there is not enough money on the card\.$/);
    expect(storyOf({ ...told, decline })).not.toContain('refused');
  });

  it('says where money is that did not stay', () => {
    expect(storyOf({ ...told, state: 'waived', payment_state: 'refund_failed' })).toContain('waits for a person');
    expect(storyOf({ ...told, payment_state: 'disputed' })).toContain('The bank contests the payment');
  });

  it('says how much went back, when and as what, and of two payments that one goes back', () => {
    const at = '2026-11-24T10:00:00.000Z';
    const taking = { at, amount_microcents: 500_000_000, pays: true, reference: 'ch_1' };
    const refund = { refund_key: 'refund_1', amount_microcents: 500_000_000, at };
    const movements = {
      takings: [taking, { ...taking, pays: false, reference: 'ch_2' }],
      refunds: [
        { ...refund, state: 'refunded', reference: 're_1' },
        { ...refund, state: 'refund_pending', reference: null },
        { ...refund, state: 'refund_failed', reference: null },
      ],
    };
    const story = storyOf({ ...told, state: 'waived', payment_state: 'refunded', movements });
    expect(story).toContain('It was paid for 2 times; what does not pay for it goes back by itself.');
    expect(story).toContain(
      '5.00 USD went back on 24 Nov 2026, 10:00 UTC as re_1; the bank may take 5 to 10 days to show it.',
    );
    expect(story).toContain('5.00 USD is owed back since 24 Nov 2026, 10:00 UTC, and on its way.');
    expect(story).toContain('could not be given back on 24 Nov 2026, 10:00 UTC: it waits for a person.');
  });

  it('tells codes that it does not know as words', () => {
    expect(declineWords('pickup_card')).toBe('pickup card');
  });
});
