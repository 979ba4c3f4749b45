import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'release_again',
  input: (fields, { agent_key }) => ({ agent_key, compromised: fields.get('key') === 'leaked' }),
  next: (fields, refused, { agent_key }) => ({
    page: `/agents/${agent_key}`,
    notice: refused ?? (fields.get('key') === 'leaked' ? 'stopped' : 'release'),
  }),
});
