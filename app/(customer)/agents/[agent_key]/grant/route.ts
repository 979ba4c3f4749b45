import { grantOf, typedQuery } from '../../../grant-form.ts';
import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'change_grant',
  input: (fields, { agent_key }) => ({ agent_key, ...grantOf(fields) }),
  next: (fields, refused, { agent_key }) =>
    refused === null
      ? { page: `/agents/${agent_key}`, notice: 'grant' }
      : { page: `/agents/${agent_key}?${typedQuery(fields)}`, notice: refused },
});
