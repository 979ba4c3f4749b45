import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'remove_webhook_endpoint',
  input: (fields) => ({ endpoint_key: fields.get('endpoint') ?? '' }),
  next: (_, refused) => ({ page: '/account/webhooks', notice: refused ?? 'removed' }),
});
