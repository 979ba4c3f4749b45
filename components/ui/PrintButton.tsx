'use client';

import { Printer } from 'lucide-react';

/** Opens the browser's print dialog. */
export function PrintButton() {
  return (
    <button type="button" className="btn max-md:btn-sm noscript:hidden" onClick={() => window.print()}>
      <Printer className="icon" />
      Print
    </button>
  );
}
