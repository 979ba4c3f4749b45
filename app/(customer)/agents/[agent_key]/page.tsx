import type { Metadata } from 'next';
import { EditAgent } from '@/components/forms/EditAgent.tsx';
import { valuesOf } from '@/components/forms/GrantFields.tsx';
import { show } from '../../../show.tsx';
import { BlockedNotice } from '../../BlockedNotice.tsx';
import { queryOf, type Search, typedBefore } from '../../grant-form.ts';
import { noticeAt } from '../../notice.ts';
import { SignInNeeded } from '../../SignInNeeded.tsx';
import { visitorMay } from '../../visitor-may.ts';
import { readAgent } from '../read-agent.ts';

export const metadata: Metadata = { title: 'Agent' };

interface Props {
  params: Promise<{ agent_key: string }>;
  searchParams: Promise<Search>;
}

/** One agent: its limits, permissions and history. */
export default show(async ({ params, searchParams }: Props) => {
  const { agent_key } = await params;
  const search = await searchParams;
  const found = await readAgent(agent_key);
  const here = `/agents/${agent_key}`;
  if (found === null) return <SignInNeeded to="see this agent" next={here} />;
  const typed = typedBefore(search);
  return (
    <EditAgent
      {...found}
      may={await visitorMay()}
      values={typed ?? valuesOf(found.agent.grant)}
      isUnsaved={typed !== null}
      told={await noticeAt(here)}
      next={here + queryOf(search)}
      above={<BlockedNotice />}
    />
  );
});
