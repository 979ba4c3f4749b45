'use client';

import { Printer } from 'lucide-react';
import { useEffect } from 'react';

/** The anchor of an address that is printed once it is open. */
const toPrint = '#print';

/** Opens the browser's print dialog, at once where the address asks for it. */
export function PrintButton() {
  useEffect(() => {
    if (window.location.hash === toPrint) window.print();
  }, []);
  return (
    <button type="button" className="btn max-md:btn-sm noscript:hidden" onClick={() => window.print()}>
      <Printer className="icon" />
      Print
    </button>
  );
}
