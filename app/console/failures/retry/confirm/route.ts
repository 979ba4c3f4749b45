import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'retry_letters',
  input: (fields) => Object.fromEntries(fields),
  next: () => '/console/failures',
});
