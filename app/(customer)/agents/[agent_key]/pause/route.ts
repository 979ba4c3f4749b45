import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'pause_agent',
  input: (fields, { agent_key }) => ({ agent_key, paused: fields.get('paused') !== 'no' }),
  next: (fields, refused, { agent_key }) =>
    `/agents/${agent_key}?${refused ? `refused=${refused}` : fields.get('paused') === 'no' ? 'done=resume' : 'done=pause'}`,
});
