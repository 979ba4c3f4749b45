import { submit } from '../../../submit.ts';

/** Removes the card that the form names. */
export const POST = submit({
  operation: 'remove_card',
  input: (fields) => ({ card_key: fields.get('card') ?? '' }),
  next: (_, refused) => (refused === null ? { page: '/account', notice: 'card_removed' } : '/account'),
});
