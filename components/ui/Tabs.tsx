'use client';

import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

export interface Tab {
  name: string;
  panel: ReactNode;
}

/** Tabs by the WAI-ARIA pattern: arrows, Home and End move; without scripts every panel shows. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [current, setCurrent] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent) {
    const last = tabs.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: current === last ? 0 : current + 1,
      ArrowLeft: current === 0 ? last : current - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    setCurrent(target);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus();
  }

  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="mb-5 flex gap-6 border-b border-line noscript:hidden print:hidden"
        onKeyDown={move}
      >
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === current}
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === current ? 0 : -1}
            className="tab -mb-px min-w-6"
            onClick={() => setCurrent(index)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <div
          key={tab.name}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          // A class, not the attribute: a stylesheet cannot show on paper what the attribute hides.
          className={`space-y-4 noscript:mb-8 print:mb-8 ${index === current ? '' : 'hidden noscript:block print:block'}`}
        >
          {tab.panel}
        </div>
      ))}
    </>
  );
}
