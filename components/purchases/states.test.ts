import { expect, it } from 'vitest';
import { stateWord } from './states.ts';

it('shows a value it does not know as it was sent, without a tone', () => {
  expect(stateWord('finding', 'beyond_scope')).toEqual({ word: 'beyond scope', tone: 'quiet', icon: 'circle-dashed' });
});

it('is not misled by names that every object has', () => {
  expect(stateWord('job', 'constructor').word).toBe('constructor');
});
