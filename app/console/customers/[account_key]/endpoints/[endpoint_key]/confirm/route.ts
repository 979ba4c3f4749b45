import { submit } from '../../../../../operator.ts';

export const POST = submit({
  operation: 'send_events_again',
  input: (fields, { endpoint_key }) => ({
    endpoint_key,
    after: fields.get('after') ?? '',
    reason: fields.get('reason') ?? '',
  }),
  next: ({ account_key }) => `/console/customers/${account_key}`,
});
