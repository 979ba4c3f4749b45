import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'lift_block',
  input: (fields, { block_key }) => ({ block_key, reason: fields.get('reason') ?? '' }),
  next: () => '/console/money',
});
