import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'give_back',
  input: (fields) => Object.fromEntries(fields),
  next: () => '/console/money',
});
