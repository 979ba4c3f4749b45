import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { counted } from '@/components/ui/counted.ts';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../show.tsx';
import { readForOperator, roleNow, titled } from '../../operator.ts';

export const generateMetadata = titled('Send again');

/** Asks before retrying dead letters, and says how many. */
export default show(
  async ({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) => {
    const { letter_id, kind } = await searchParams;
    const { letters } = await readForOperator('console_failures', typeof kind === 'string' ? { kind } : {});
    const one = typeof letter_id === 'string' ? letters.rows.find((row) => row.letter_id === letter_id) : null;
    if (one === undefined || letters.total === 0 || !may(await roleNow(), 'retry_letters')) throw new Missing();
    const count = one ? 1 : letters.total;
    const what = counted(count, 'letter');
    return (
      <ConfirmAct
        title={`Send ${what} again?`}
        button={`Send ${what}`}
        action="/console/failures/retry/confirm"
        back="/console/failures"
        hidden={{ ...(one ? { letter_id: one.letter_id } : {}), ...(typeof kind === 'string' ? { kind } : {}) }}
      >
        <p>
          {one || typeof kind === 'string'
            ? `Of the kind ${(one?.kind ?? String(kind)).replaceAll('_', ' ')}.`
            : 'Of every kind.'}{' '}
          Each is retried for another quarter of an hour. A letter that was sent is not sent twice.
        </p>
      </ConfirmAct>
    );
  },
);
