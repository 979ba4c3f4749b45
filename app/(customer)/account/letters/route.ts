import { submit } from '../../submit.ts';

/** Turns letters about reports off or on again for the signed-in member. */
export const POST = submit({
  operation: 'change_letters',
  input: (fields) => ({ reports: fields.get('reports') === 'on' }),
  next: (_, refused) => ({ page: '/account', notice: refused ?? 'letters' }),
});
