import { submit } from '../../submit.ts';

const chosen = (fields: URLSearchParams, choice: string) =>
  [...fields].filter(([, value]) => value === choice).map(([agentKey]) => agentKey);

export const POST = submit({
  operation: 'review_agents',
  input: (fields) => ({ keep: chosen(fields, 'keep'), revoke: chosen(fields, 'revoke') }),
  next: (_, refused) => (refused === null ? '/agents' : { page: '/agents', notice: refused }),
});
