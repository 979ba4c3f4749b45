import { submit } from '../../../submit.ts';

/** Sends again what came after the event that the form names, or all that is kept. */
export const POST = submit({
  operation: 'resend_webhooks',
  input: (fields) => {
    const after = fields.get('after')?.trim();
    return { endpoint_key: fields.get('endpoint') ?? '', ...(after ? { after } : {}) };
  },
  next: (_, refused) => ({ page: '/account/webhooks', notice: refused ?? 'resent' }),
});
