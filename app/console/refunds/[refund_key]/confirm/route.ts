import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'settle_refund',
  input: (fields, { refund_key }) => {
    const asked = { refund_key, as: fields.get('as') ?? '', reason: fields.get('reason') ?? '' };
    return asked.as === 'sent_by_hand' ? { ...asked, reference: fields.get('reference') ?? '' } : asked;
  },
  next: () => '/console/money',
});
