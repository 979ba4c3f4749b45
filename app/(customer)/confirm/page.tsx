import type { Metadata } from 'next';
import { ConfirmAgent, RegistrationEnd } from '@/components/forms/ConfirmAgent.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/door/problem.ts';
import { show } from '../../show.tsx';
import { memberContext } from '../member.ts';

export const metadata: Metadata = { title: 'Confirm an agent' };

/** The page of a registration letter's link. Opening it decides nothing, so mail scanners are harmless. */
export default show(async ({ searchParams }: { searchParams: Promise<{ link?: string | string[] }> }) => {
  const { link } = await searchParams;
  if (typeof link !== 'string') return <RegistrationEnd state="absent" />;
  const { ctx } = await memberContext();
  try {
    const { body } = await perform('confirmation', ctx, { link });
    return body.state === 'pending_confirmation' ? (
      <ConfirmAgent asked={body} link={link} />
    ) : (
      <RegistrationEnd state={body.state} />
    );
  } catch (error) {
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'validation_failed')) {
      return <RegistrationEnd state="unknown" />;
    }
    throw error;
  }
});
