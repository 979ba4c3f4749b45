import type { ServerResponse } from 'node:http';

/** Pages of one block of addresses that a process draws at once, and that may wait for their turn. */
const drawnAtOnce = 2;
const waitingMax = 32;
/** A turn that lasts longer waits for something else, or for a slow reader. */
const turnMs = 2_000;
/** After a page that took longer, the next one of its block waits as long again: half of the time is others'. */
const quickMs = 50;

interface Turns {
  drawn: number;
  readonly waiting: (() => void)[];
}

const turnsOf = new Map<string, Turns>();

/**
 * Waits until a page may be drawn, so that one caller's expensive pages delay that caller's. Returns what ends the turn
 * once the page is drawn: a reader that leaves stops no drawing. `full` where too many wait already, `gone` where the
 * reader left first.
 */
export async function pageTurn(block: string, res: ServerResponse): Promise<(() => void) | 'full' | 'gone'> {
  const turns = turnsOf.get(block) ?? { drawn: 0, waiting: [] };
  const isFree = turns.drawn < drawnAtOnce;
  if (!isFree && turns.waiting.length >= waitingMax) return 'full';
  turnsOf.set(block, turns);
  if (isFree) turns.drawn += 1;
  // Who ends a turn hands it on.
  else await new Promise<void>((resolve) => turns.waiting.push(resolve));
  if (res.closed) {
    handOn(block, turns);
    return 'gone';
  }
  const began = performance.now();
  let isOver = false;
  const end = () => {
    clearTimeout(patience);
    if (isOver) return;
    isOver = true;
    const tookMs = performance.now() - began;
    if (tookMs > quickMs) setTimeout(handOn, tookMs, block, turns);
    else handOn(block, turns);
  };
  const patience = setTimeout(end, turnMs);
  return end;
}

function handOn(block: string, turns: Turns): void {
  const next = turns.waiting.shift();
  if (next) {
    // Readers leave together: see first who else left.
    setImmediate(next);
    return;
  }
  turns.drawn -= 1;
  if (turns.drawn === 0) turnsOf.delete(block);
}
