'use client';

import { Broken } from '@/components/ui/Broken.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import './globals.css';

/** The last resort: even the frame of all pages could not be made. */
export default function GlobalError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>Something broke on our side · Work Check</title>
        <PageFrame>
          <Broken digest={error.digest} retry={reset} />
        </PageFrame>
      </body>
    </html>
  );
}
