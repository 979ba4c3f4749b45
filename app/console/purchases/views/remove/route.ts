import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'remove_view',
  input: (fields) => ({ view_key: fields.get('view_key') ?? '' }),
  next: (_, fields) => `/console/purchases${/^\?/.test(fields.get('back') ?? '') ? fields.get('back') : ''}`,
});
