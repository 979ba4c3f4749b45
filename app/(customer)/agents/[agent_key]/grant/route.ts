import { grantOf, typedAgain } from '../../../grant-form.ts';
import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'change_grant',
  input: (fields, { agent_key }) => ({ agent_key, ...grantOf(fields) }),
  next: (fields, refused, { agent_key }) =>
    `/agents/${agent_key}?${refused === null ? 'done=grant' : typedAgain(fields, refused)}`,
});
