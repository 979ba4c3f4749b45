import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pageTurn } from './page-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const reader = { closed: false } as ServerResponse;

/** Asks for turns of a block, and notes each that began; ends one that did. */
async function asking(block: string, count: number) {
  const begun: (() => void)[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    void pageTurn(block, reader).then((turn) => typeof turn === 'function' && begun.push(turn));
  }
  await vi.advanceTimersByTimeAsync(0);
  return begun;
}

it('a page that took long is followed by the next of its block after as long a rest, and by others at once', async () => {
  const begun = await asking('203.0.113.0/24', 3);
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toHaveLength(2);
  for (const end of begun) end();
  await vi.advanceTimersByTimeAsync(290);
  expect(begun).toHaveLength(2);
  expect(await asking('198.51.100.0/24', 1)).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(begun).toHaveLength(3);
});

it('a quick page is followed by the next at once', async () => {
  const begun = await asking('192.0.2.0/24', 3);
  begun[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toHaveLength(3);
});
