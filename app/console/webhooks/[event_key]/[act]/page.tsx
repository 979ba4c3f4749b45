import { ConfirmAct } from '@/components/console/ConfirmAct.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { may } from '@/server/operation/operator-roles.ts';
import { Missing, show } from '../../../../show.tsx';
import { roleNow, titled } from '../../../operator.ts';

export const generateMetadata = titled('Confirm');

const acts = {
  again: {
    operation: 'hear_again',
    title: 'Handle this event again?',
    button: 'Handle again',
    text: 'The worker asks the provider about the object it names. Repeating it is safe: it takes effect once.',
  },
  open: {
    operation: 'open_webhook',
    title: 'Read the payload?',
    button: 'Open the payload',
    text: 'It may name the customer and the card. You can read it for a short while.',
  },
} as const;

/** Asks before handling an event again or reading its payload. */
export default show(async ({ params }: { params: Promise<{ event_key: string; act: string }> }) => {
  const { event_key, act } = await params;
  const words = Object.hasOwn(acts, act) ? acts[act as keyof typeof acts] : null;
  if (!words || !/^\w{1,64}$/.test(event_key) || !may(await roleNow(), words.operation)) throw new Missing();
  const page = `/console/webhooks/${event_key}`;
  return (
    <ConfirmAct title={words.title} button={words.button} action={`${page}/${act}/confirm`} back={page}>
      <p>{words.text}</p>
      <p className="wrap-anywhere">
        <Key>{event_key}</Key>
      </p>
    </ConfirmAct>
  );
});
