'use client';

import { Broken } from '@/components/ui/Broken.tsx';
import { PageFrame } from '@/components/ui/PageFrame.tsx';
import './globals.css';

/** What no section's own page for errors caught: a layout failed. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <title>Something broke on our side · Work Check</title>
        <PageFrame>
          <Broken digest={error.digest} />
        </PageFrame>
      </body>
    </html>
  );
}
