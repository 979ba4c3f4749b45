import { actWords } from '@/components/console/act-words.ts';
import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { NeedsSignIn } from '@/components/console/NeedsSignIn.tsx';
import { amountText, Price } from '@/components/purchases/Price.tsx';
import { State } from '@/components/purchases/State.tsx';
import { counted } from '@/components/ui/counted.ts';
import { Key } from '@/components/ui/Key.tsx';
import { needsFreshSignIn } from '@/server/operation/operator-roles.ts';
import { show } from '../../../show.tsx';
import { operatorContext, readForOperator, titled } from '../../operator.ts';
import { chosenIn } from './keys.ts';

export const generateMetadata = titled('Act on several');

type Search = Promise<Record<string, string | string[] | undefined>>;

/** Shows what an action will do to each purchase, before it does anything. */
export default show(async ({ searchParams }: { searchParams: Search }) => {
  const query = Object.entries(await searchParams).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  );
  const chosen = chosenIn(new URLSearchParams(query));
  if (!chosen) return <NothingChosen />;
  const { action, keys, back } = chosen;
  const { touched, amount_microcents, purchases } = await readForOperator('preview_acts', { action, keys });
  const { me } = await operatorContext();
  const words = actWords[action];
  const list = `/console/purchases${back}`;
  if (needsFreshSignIn(action) && !me?.may_move_money) return <NeedsSignIn next={list} />;
  const table = (
    <ul className="border-t border-ink text-dense">
      {purchases.map(({ job_key, payment_state, amount_microcents: amount, obstacle }) => (
        <li key={job_key} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2">
          <a className="link inline-flex min-h-6 items-center" href={`/console/purchases/${job_key}`}>
            <Key>{job_key}</Key>
          </a>
          <Price microcents={amount} />
          <State kind="payment" value={payment_state} />
          <span className={obstacle ? 'text-ink-3' : 'font-medium'}>
            {obstacle ? `Skipped: ${obstacle}` : 'Included'}
          </span>
        </li>
      ))}
    </ul>
  );
  if (touched === 0) {
    return (
      <div className="max-w-decision space-y-4">
        <h1 className="text-h1">Nothing to do</h1>
        <p>This is not possible for any of the {counted(purchases.length, 'chosen purchase')} now.</p>
        {table}
        <a className="btn" href={list}>
          Back
        </a>
      </div>
    );
  }
  const ofAmount = needsFreshSignIn(action) ? ` of ${amountText(amount_microcents)} USD` : '';
  return (
    <ConfirmAct
      title={`${words.button}: ${touched} of ${counted(purchases.length, 'purchase')}`}
      button={`${words.button} for ${touched}${ofAmount}`}
      action="/console/purchases/bulk/confirm"
      back={list}
      danger={words.danger ?? false}
      hidden={{
        action,
        back,
        all: '1',
        shown: purchases.flatMap((row) => (row.obstacle ? [] : row.job_key)).join(','),
      }}
    >
      <p>{words.text} Each is done by itself; what changed meanwhile is left out and told.</p>
      {table}
    </ConfirmAct>
  );
});

function NothingChosen() {
  return (
    <div className="max-w-decision space-y-4">
      <h1 className="text-h1">Nothing selected</h1>
      <p>Select purchases in the list, then choose an action.</p>
      <a className="btn" href="/console/purchases">
        Back
      </a>
    </div>
  );
}
