import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'open_findings',
  input: (fields) => ({ reason: fields.get('reason') ?? '' }),
  next: () => '/console/quality/findings',
});
