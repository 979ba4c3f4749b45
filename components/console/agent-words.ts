import type { CustomerRecord } from '@/server/console/contract/customers.ts';
import { price } from '@/server/service/terms.ts';
import { amountText } from '../purchases/Price.tsx';

type Agent = CustomerRecord['agents'][number];

/** What keeps an agent itself from buying now, in sentences; empty if nothing does. Blocks are of its account. */
export function obstaclesOf(agent: Agent, now: Date): string[] {
  if (agent.state === 'revoked') return ['It is revoked.'];
  const check = Number(price);
  const left = (limit: number, used: number) => limit - used < check;
  return [
    agent.state === 'paused' ? 'It is paused.' : '',
    agent.ends_at !== null && Date.parse(agent.ends_at) <= now.getTime() ? 'Its grant has ended.' : '',
    agent.methods.length === 0 ? 'It may pay in no way.' : '',
    agent.per_job_microcents < check
      ? `It may spend ${amountText(agent.per_job_microcents)} a check, and one costs ${amountText(price)}.`
      : '',
    left(agent.daily_microcents, agent.used_today_microcents) ? 'Too little is left of its day.' : '',
    agent.total_microcents !== null && left(agent.total_microcents, agent.used_microcents)
      ? 'Too little is left of its total.'
      : '',
  ].filter((sentence) => sentence !== '');
}
