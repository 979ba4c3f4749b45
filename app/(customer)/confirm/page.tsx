import type { Metadata } from 'next';
import { Blocked, ConfirmAgent, ConfirmedAs, KeyFetched, RegistrationEnd } from '@/components/forms/ConfirmAgent.tsx';
import { suggestedValues } from '@/components/forms/GrantFields.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { show } from '../../show.tsx';
import { type Search, typedBefore } from '../grant-form.ts';
import { memberContext } from '../member.ts';
import { noticeAt } from '../notice.ts';

export const metadata: Metadata = { title: 'Confirm an agent' };

const refusals: Record<string, string> = {
  validation_failed: 'An amount could not be read. Nothing was decided yet.',
  action_not_allowed: 'Here you can only lower what the agent asked for. Nothing was decided yet.',
};

/** The page of a registration letter's link. Opening it decides nothing, so mail scanners are harmless. */
export default show(async ({ searchParams }: { searchParams: Promise<Search> }) => {
  const search = await searchParams;
  const { link } = search;
  if (typeof link !== 'string') return <RegistrationEnd state="absent" />;
  const { ctx, email, wallet } = await memberContext();
  const visitor = email ?? wallet;
  try {
    const { body } = await perform('confirmation', ctx, { link });
    if (body.state === 'pending_confirmation') {
      const refused = await noticeAt('/confirm');
      const values = typedBefore(search) ?? suggestedValues(body.requested_grant);
      const why = refused && (refusals[refused] ?? null);
      return <ConfirmAgent asked={body} link={link} values={values} refused={why} signsIn={visitor === null} />;
    }
    const stopped = body.agent_state === 'active' ? null : body.agent_state;
    return (
      <RegistrationEnd state={stopped ?? body.state}>
        {body.state === 'confirmed' && stopped === null ? (
          <>
            <ConfirmedAs owner={body.email} visitor={visitor} />
            <KeyFetched fetched={body.fetched} />
          </>
        ) : null}
        {body.blocked_until ? <Blocked origin={body.origin} until={body.blocked_until} link={link} /> : null}
      </RegistrationEnd>
    );
  } catch (error) {
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'validation_failed')) {
      return <RegistrationEnd state="unknown" />;
    }
    throw error;
  }
});
