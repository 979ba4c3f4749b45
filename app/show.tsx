import { headers } from 'next/headers';
import { unstable_rethrow } from 'next/navigation';
import type { ReactNode } from 'react';
import { Broken } from '@/components/ui/Broken.tsx';
import { NothingHere } from '@/components/ui/NothingHere.tsx';
import { noteBroken, noteMissing, requestIdHeader } from '@/server/transports/page-status.ts';

/** Thrown where a record does not exist, belongs to another account or has no such key: all three look the same. */
export class Missing extends Error {}

/**
 * A page that shows what is missing, or that it broke, as a page: with its status, in the frame of its section, and
 * without script. Next shows what a page throws by script alone.
 */
export function show<Props>(page: (props: Props) => ReactNode | Promise<ReactNode>) {
  return async (props: Props): Promise<ReactNode> => {
    try {
      return await page(props);
    } catch (error) {
      unstable_rethrow(error);
      const requestId = (await headers()).get(requestIdHeader) ?? '';
      if (error instanceof Missing) {
        noteMissing(requestId);
        return <NothingHere />;
      }
      noteBroken(requestId, error);
      return <Broken digest={requestId || undefined} />;
    }
  };
}
