import { submit } from '../../../../submit.ts';

export const POST = submit({
  operation: 'revoke_agent',
  input: (_, { agent_key }) => ({ agent_key }),
  next: (_, refused, { agent_key }) => ({ page: `/agents/${agent_key}`, notice: refused ?? 'revoke' }),
});
