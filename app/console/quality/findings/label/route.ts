import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'label_finding',
  input: (fields) => ({ ...Object.fromEntries(fields), error: fields.get('error') || null }),
  next: () => '/console/quality/findings',
});
