import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../../operator.ts';

export const generateMetadata = titled('Confirm');

const acts = {
  pause: {
    operation: 'pause_customer_agent',
    title: 'Pause this agent?',
    button: 'Pause',
    text: 'It cannot buy until an operator or a member of the account resumes it. Paid jobs continue.',
  },
  resume: {
    operation: 'pause_customer_agent',
    title: 'Let this agent buy again?',
    button: 'Resume',
    text: 'It can buy right away, within its limits.',
  },
  revoke: {
    operation: 'revoke_customer_agent',
    title: 'Revoke this agent for good?',
    button: 'Revoke',
    text: 'Its credentials stop working at once, for good. What it bought stays with the account.',
  },
} as const;

/** Asks before pausing, resuming or revoking a customer's agent. */
export default show(async ({ params }: { params: Promise<{ agent_key: string; act: string }> }) => {
  const { agent_key, act } = await params;
  const words = Object.hasOwn(acts, act) ? acts[act as keyof typeof acts] : null;
  const { results } = await readForOperator('console_search', { q: agent_key });
  const account = results.find((one) => one.kind === 'customer' && one.key === agent_key);
  if (!words || !account || !may(await roleNow(), words.operation)) throw new Missing();
  return (
    <ConfirmAct
      title={words.title}
      button={words.button}
      action={`/console/agents/${agent_key}/${act}/confirm`}
      back={account.page}
      danger={act === 'revoke'}
      hidden={{ back: account.page }}
    >
      <p>{words.text}</p>
      <p className="wrap-anywhere">
        {account.title}, <Key>{agent_key}</Key>
      </p>
    </ConfirmAct>
  );
});
