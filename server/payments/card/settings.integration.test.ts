import { describe, expect, it } from 'vitest';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { readConfiguration } from '../../configuration.ts';
import { perform } from '../../door/perform.ts';
import { operatorContext } from '../../transports/context.ts';
import { openRails } from '../open-rails.ts';

const service = await startService(withCard);

/** What the service says of its card rail with other settings. */
async function cardWith(changes: Readonly<Record<string, string | undefined>>) {
  const { ENVIRONMENT, ...environment } = { ...service.environment, ...changes };
  const settings = readConfiguration({ ...environment, ENVIRONMENT: ENVIRONMENT ?? 'test' });
  const rails = openRails(settings);
  const { body } = await perform('service_contract', operatorContext({ ...service.runtime, rails }), {});
  const { rails: told, purchasable_rails: purchasable } = body.availability;
  return { reasons: told.card?.reasons, isSold: purchasable.includes('card') };
}

describe('the card rail', () => {
  it('is sold with all of its settings', async () => {
    expect(await cardWith({})).toEqual({ reasons: [], isSold: true });
  });

  it.each([
    ['its key is missing', { STRIPE_SECRET_KEY: undefined }, ['card_secret_missing', 'card_key_mode_unknown']],
    [
      'the secret of its announcements is missing',
      { STRIPE_WEBHOOK_SECRET: undefined },
      ['card_webhook_secret_missing'],
    ],
    ['browsers cannot open our page for payers', { BASE_URL: 'app://check' }, ['card_return_url_missing']],
    ['its key is of no mode', { STRIPE_SECRET_KEY: 'pk_test_x' }, ['card_key_mode_unknown']],
    [
      'it is not set up',
      { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined },
      ['card_disabled', 'card_secret_missing', 'card_webhook_secret_missing', 'card_key_mode_unknown'],
    ],
  ])('says why it is not sold when %s', async (_, changes, reasons) => {
    const { reasons: told, isSold } = await cardWith(changes);
    expect(isSold).toBe(false);
    // Nothing else is said to be missing.
    expect(told).toEqual(reasons);
  });

  it('starts with no key of the other mode', () => {
    const start = (STRIPE_SECRET_KEY: string) => readConfiguration({ ...service.environment, STRIPE_SECRET_KEY });
    expect(start('rk_test_restricted').card.mode).toBe('test');
    for (const key of ['sk_live_x', 'rk_live_x']) {
      expect(() => start(key)).toThrow('STRIPE_SECRET_KEY is a live key, and ENVIRONMENT is test');
    }
  });
});
