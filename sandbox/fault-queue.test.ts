import { describe, expect, it } from 'vitest';
import { faultQueue, gate, type Times } from './fault-queue.ts';

function fault(name: string, times: Times) {
  return { name, times };
}

describe('the fault queue', () => {
  it('gives faults in their order, each as often as it says', () => {
    const queue = faultQueue<ReturnType<typeof fault>>();
    queue.add(fault('first', 2));
    queue.add(fault('second', 1));
    const taken = Array.from({ length: 4 }, () => queue.take()?.name);
    expect(taken).toEqual(['first', 'first', 'second', undefined]);
  });

  it('gives a fault that lasts until it is cleared', () => {
    const queue = faultQueue<ReturnType<typeof fault>>();
    queue.add(fault('lasting', 'always'));
    queue.add(fault('never reached', 1));
    expect([queue.take()?.name, queue.take()?.name]).toEqual(['lasting', 'lasting']);
    queue.clear();
    expect(queue.take()).toBeUndefined();
  });

  it('passes over a fault that does not fit and leaves its count alone', () => {
    const queue = faultQueue<ReturnType<typeof fault>>();
    queue.add(fault('other', 1));
    expect(queue.take(({ name }) => name === 'wanted')).toBeUndefined();
    expect(queue.list()).toEqual([fault('other', 1)]);
  });

  it('refuses to hold more than a thousand', () => {
    const queue = faultQueue<ReturnType<typeof fault>>();
    for (let count = 0; count < 1_000; count += 1) queue.add(fault('one', 1));
    expect(() => queue.add(fault('too many', 1))).toThrow('At most 1000 faults');
  });
});

describe('the gate', () => {
  it('holds until it is released, and lets later ones wait again', async () => {
    const { hold, held, release } = gate();
    const passed: string[] = [];
    const first = hold().then(() => passed.push('first'));
    expect([held(), passed]).toEqual([1, []]);
    expect(release()).toBe(1);
    await first;
    void hold().then(() => passed.push('second'));
    expect([held(), passed]).toEqual([1, ['first']]);
  });
});
