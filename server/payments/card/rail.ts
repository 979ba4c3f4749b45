import type { CardConfiguration } from '../../configuration/card.ts';
import { guarded } from '../../queue/rounds.ts';
import { cardMethods } from '../contract.ts';
import type { Rail, Standing } from '../rail.ts';
import { railUnavailable } from '../unavailable.ts';
import { answersOver } from './answer.ts';
import { attemptByKey, type CardAttempt, giveUp, openAttempt, openAttempts } from './attempt.ts';
import { catchUp } from './catch-up.ts';
import { chargeSaved, lookUpCharge, withdrawCharge } from './charge.ts';
import { continuationUrl, lookUpPage, openPage, withdrawPage } from './checkout.ts';
import { collect, restore, returnLate, reverse } from './collect.ts';
import { compareBooks } from './compare.ts';
import { announcementOf, receive } from './events.ts';
import { hear } from './hear.ts';
import type { CardProof } from './outcome.ts';
import { present } from './present.ts';
import { openCardProvider } from './provider.ts';
import { type CardRefund, refundsOver } from './refunds.ts';
import { forgetRemoved, listCards, noteUse, removeCard, removeCards } from './saved.ts';
import { byStrangers } from './strangers.ts';

type CardRail = Rail<CardAttempt, CardProof, CardRefund>;

/**
 * The card rail, over Stripe: its page, kept cards, refunds and disputes. `isBounded`: an account has a few checks under
 * way by card at most.
 */
export function cardRail(configuration: CardConfiguration, isBounded: boolean): CardRail {
  const faults = faultsOf(configuration);
  const provider = faults.length === 0 ? openCardProvider(configuration) : null;
  const pages = { returnUrl: configuration.returnUrl ?? '' };
  const ready = () => {
    if (!provider) throw railUnavailable('card', faults);
    return provider;
  };
  return {
    name: 'card',
    isSetUp: provider !== null,
    methods: cardMethods,
    networks: [],
    remedies: { undelivered: 'refund', waived: 'refund' },
    suspense: 'suspense:card_disputes',

    async standing(_, isSwitchedOff): Promise<Standing> {
      const reasons = isSwitchedOff ? [...new Set(['card_disabled', ...faults])] : faults;
      return { methods: [...cardMethods], mode: configuration.mode, reasons };
    },
    seemsUp: () => provider !== null,

    present: async (request) => present(ready(), pages, { ...request, isBounded }),
    confirmation: (attempt, _attested, proof) => (proof || attempt.state === 'collected' ? {} : null),

    openAttempt,
    hosted: {
      method: 'card_checkout',
      address: (paymentKey) => continuationUrl(pages, paymentKey),
      attempt: attemptByKey,
      open: async (process, attempt, accountKey) =>
        openPage(process, ready(), pages, { attempt, accountKey, isBounded }),
      byStrangers,
    },
    kept: { method: 'card_saved', list: listCards, remove: removeCard, removeAll: removeCards, noteUse },
    openAttempts: async (db, now, limit) => (provider ? openAttempts(db, now, limit) : []),
    lookUp: ({ db, clock }, attempt) =>
      attempt.method === 'card_saved'
        ? lookUpCharge(ready(), attempt)
        : lookUpPage({ db, clock }, ready(), pages, attempt),
    settle: ({ db, clock }, attempt, covers) =>
      attempt.method === 'card_saved'
        ? chargeSaved({ db, clock }, ready(), attempt, covers('card_saved'))
        : lookUpPage({ db, clock }, ready(), pages, attempt),
    withdraw: ({ db, clock }, attempt) =>
      attempt.method === 'card_saved'
        ? withdrawCharge(ready(), attempt)
        : withdrawPage({ db, clock }, ready(), pages, attempt),

    collect,
    giveUp,
    // A charge never moves.
    confirm: async () => false,
    reverse,
    restore,
    returnLate,

    refunds: refundsOver(provider),
    async watch(process, tell) {
      if (!provider) return;
      await guarded('events_not_listed', {}, () => catchUp(process, provider));
      await guarded('cards_not_forgotten', {}, () => forgetRemoved(process, provider));
      await guarded('books_not_compared', {}, () => compareBooks({ process, provider, tell }));
    },
    hear: async (process, tell) => (provider ? hear(process, provider, tell) : undefined),
    announcement: provider ? (eventId) => announcementOf(provider, eventId) : null,
    disputes: provider ? answersOver(provider) : null,
    receive: provider ? (process, sent) => receive(process, provider, configuration, sent) : null,
  };
}

/** The missing settings, as availability names them (specification 2.2). */
function faultsOf({ secretKey, webhookSecrets, mode, returnUrl }: CardConfiguration): string[] {
  return [
    ...(secretKey === '' && webhookSecrets.length === 0 ? ['card_disabled'] : []),
    ...(secretKey === '' ? ['card_secret_missing'] : []),
    ...(webhookSecrets.length === 0 ? ['card_webhook_secret_missing'] : []),
    ...(mode === 'unknown' ? ['card_key_mode_unknown'] : []),
    ...(returnUrl === null ? ['card_return_url_missing'] : []),
  ];
}
