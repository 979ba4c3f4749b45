import type { Metadata } from 'next';
import { FreshSignIn } from '@/components/forms/FreshSignIn.tsx';
import { EndpointList } from '@/components/purchases/EndpointList.tsx';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Notice } from '@/components/ui/Notice.tsx';
import { SubpageHead } from '@/components/ui/SubpageHead.tsx';
import { endpointsMax } from '@/server/purchases/webhook-contract.ts';
import { show } from '../../../show.tsx';
import { memberContext } from '../../member.ts';
import { saidAt } from '../../notice.ts';
import { readForMember } from '../../read.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';

export const metadata: Metadata = { title: 'Webhooks' };

const path = '/account/webhooks';

const told: Record<string, string> = {
  added: 'Added. It is told of each event from now on. Copy the secret below: it is shown this once.',
  removed: 'Removed. It is told nothing more, and its secret is forgotten.',
  resent: 'Its events are sent again, in order.',
};

/** Why a change was refused. */
const refused: Record<string, string> = {
  action_not_allowed: `Nothing was changed. An account has at most ${endpointsMax} addresses, each once.`,
  validation_failed:
    'Nothing was changed. An address starts with https:// and lies on the public internet, without user or password.',
  not_found: 'Nothing was changed. That event or address is not on this account.',
  role_missing: 'Nothing was changed: your role does not cover that.',
};

/** Where the account is told of its events, how that goes, and what to do when it does not. */
export default show(async () => {
  const { ctx } = await memberContext();
  const listed = await readForMember('webhook_endpoints', ctx, {});
  if (listed === null) return <SignInNeeded to="see the webhooks" next={path} />;
  const may = await visitorMay();
  const notice = await saidAt(path);
  const code = notice?.code ?? '';
  const words = told[code] ?? refused[code];
  return (
    <div className="mx-auto max-w-read px-4 py-8 md:py-12">
      <SubpageHead above={['Account', '/account']} title="Webhooks">
        Each event of the account’s purchases is sent to these addresses, in order and signed as Standard Webhooks has
        it. An event names what changed and holds nothing of the work.
      </SubpageHead>
      {words === undefined ? null : (
        <div className="mt-6">
          <Notice tone={code in told ? 'settled' : 'attention'}>{words}</Notice>
        </div>
      )}
      {code === 'fresh_sign_in_required' ? (
        <div className="mt-6">
          <FreshSignIn next={path} to="send events elsewhere" />
        </div>
      ) : null}
      {code === 'added' && notice?.secret ? (
        <div className="mt-4">
          <CodeBlock name="Signing secret" code={notice.secret} wrap />
        </div>
      ) : null}
      <EndpointList endpoints={listed.endpoints} mayChange={may('add_webhook_endpoint')} />
    </div>
  );
});
