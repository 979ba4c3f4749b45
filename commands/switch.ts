import { perform } from '../server/door/perform.ts';
import { runForOperator } from './operator.ts';

/**
 * `npm run switch -- NAME on|off REASON` stops or resumes `service` (all selling), `registrations`, `card` or `x402`
 * (new payments by that rail). Open purchases continue.
 */
await runForOperator(
  { words: 3, usage: 'Say which, how and why: npm run switch -- service|registrations|card|x402 on|off REASON' },
  async ([name = '', state = '', ...reason], { context }) => {
    const { body } = await perform('turn_switch', await context(), { name, state, reason: reason.join(' ') });
    return `${body.name} is ${body.state}.`;
  },
);
