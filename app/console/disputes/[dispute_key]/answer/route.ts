import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'answer_dispute',
  input: (fields, { dispute_key }) => ({
    dispute_key,
    statement: fields.get('statement') ?? '',
    reason: fields.get('reason') ?? '',
  }),
  next: ({ dispute_key }) => `/console/disputes/${dispute_key}`,
});
