import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'pause_agent',
  input: (fields, { agent_key }) => ({ agent_key, paused: fields.get('paused') !== 'no' }),
  next: (fields, refused, { agent_key }) => ({
    page: `/agents/${agent_key}`,
    notice: refused ?? (fields.get('paused') === 'no' ? 'resume' : 'pause'),
  }),
});
