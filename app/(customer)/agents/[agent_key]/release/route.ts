import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'release_again',
  input: (_, { agent_key }) => ({ agent_key }),
  next: (_, refused, { agent_key }) => ({ page: `/agents/${agent_key}`, notice: refused ?? 'release' }),
});
