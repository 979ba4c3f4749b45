import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'turn_switch',
  input: (fields, { name }) => ({ name, state: fields.get('state'), reason: fields.get('reason') ?? '' }),
  next: () => '/console',
});
