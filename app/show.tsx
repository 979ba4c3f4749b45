import { headers } from 'next/headers';
import { unstable_rethrow } from 'next/navigation';
import type { ReactNode } from 'react';
import { Broken } from '@/components/ui/Broken.tsx';
import { NothingHere } from '@/components/ui/NothingHere.tsx';
import { noteAway, noteBroken, noteMissing, requestIdHeader } from '@/server/transports/page-status.ts';
import { ArchiveAway, isInArchive } from './archive-away.tsx';

/** Thrown for a missing record, another account's, or an invalid key: all three look the same. */
export class Missing extends Error {}

/**
 * A page for something missing or broken, with its status, in its section's frame, without scripts. Next needs scripts
 * to show what a page throws.
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
      if (isInArchive(error)) {
        noteAway(requestId);
        return <ArchiveAway />;
      }
      noteBroken(requestId, error);
      return <Broken digest={requestId || undefined} />;
    }
  };
}
