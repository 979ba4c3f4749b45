import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'save_view',
  input: (fields) => ({ name: fields.get('name') ?? '', query: fields.get('query') ?? '' }),
  next: (_, fields) => `/console/purchases${/^\?/.test(fields.get('query') ?? '') ? fields.get('query') : ''}`,
});
