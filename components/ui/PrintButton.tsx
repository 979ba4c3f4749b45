'use client';

import { type ReactNode, useEffect } from 'react';

/** The anchor of an address that is printed once it is open. */
const toPrint = '#print';

interface Props {
  /** Drawn by the server, so that no script for it is sent. */
  icon: ReactNode;
}

/** Opens the browser's print dialog, at once where the address asks for it. */
export function PrintButton({ icon }: Props) {
  useEffect(() => {
    if (window.location.hash !== toPrint) return;
    // Asked once, however many buttons the page has, and not again when it is loaded again.
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
    window.print();
  }, []);
  return (
    <button type="button" className="btn max-md:btn-sm noscript:hidden" onClick={() => window.print()}>
      {icon}
      Print
    </button>
  );
}

/** Prints another page, which has what this one leaves out. The keys that print do so, too. */
export function PrintElsewhere({ icon, address }: Props & { address: string }) {
  useEffect(() => {
    function follow(event: KeyboardEvent) {
      const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'p';
      if (!isPrint || event.defaultPrevented) return;
      event.preventDefault();
      window.location.assign(address + toPrint);
    }
    window.addEventListener('keydown', follow);
    return () => window.removeEventListener('keydown', follow);
  }, [address]);
  return (
    <a className="btn max-md:btn-sm noscript:hidden" href={address + toPrint}>
      {icon}
      Print
    </a>
  );
}
