import { describe, expect, it } from 'vitest';
import { ports } from './ports.ts';

describe('the port scheme', () => {
  it('follows from the port of the app', () => {
    expect(ports(3000)).toEqual({
      app: 3000,
      control: 4010,
      facilitator: 4011,
      chains: { 84532: 4012, 421614: 4013 },
      smtp: 4014,
      model: 4015,
      stripe: 4016,
      postgres: 4017,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 64_519])('refuses %d with a sentence', (port) => {
    expect(() => ports(port)).toThrow('PORT must be a whole number from 1 to 64518');
  });

  it('takes the highest port that leaves room for the others', () => {
    expect(ports(64_518).postgres).toBe(65_535);
  });
});
