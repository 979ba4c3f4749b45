import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { switchWords } from '@/components/console/switch-words.ts';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Turn a switch');

/** Asks before turning a switch. */
export default show(async ({ params }: { params: Promise<{ name: string }> }) => {
  const { name } = await params;
  const { switches } = await readForOperator('console_overview', {});
  const found = switches.find((each) => each.name === name);
  if (!found || !may(await roleNow(), 'turn_switch')) throw new Missing();
  const words = switchWords[found.name];
  const to = found.state === 'on' ? 'off' : 'on';
  return (
    <ConfirmAct
      title={`Turn ${words.name.toLowerCase()} ${to}?`}
      button={`Turn ${to}`}
      action={`/console/switches/${found.name}/confirm`}
      back="/console"
      danger={to === 'off'}
      hidden={{ state: to }}
    >
      <p>{to === 'off' ? words.off : 'It is sold again right away.'} Availability shows it with the next request.</p>
    </ConfirmAct>
  );
});
