import { describe, expect, it } from 'vitest';
import { freePort, onFreePort, ports } from './ports.ts';

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
      archive: 4018,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, 64_518])('refuses %d with a sentence', (port) => {
    expect(() => ports(port)).toThrow('PORT must be a whole number from 1 to 64517');
  });

  it('takes the highest port that leaves room for the others', () => {
    expect(ports(64_517).archive).toBe(65_535);
  });
});

describe('a start on free ports', () => {
  it('is made again on others when a program was faster', async () => {
    const tried: number[] = [];
    const started = await onFreePort(async (port) => {
      tried.push(port);
      if (tried.length < 3) throw new Error(`Port ${port} is in use by another program.`);
      return port;
    });
    expect(started).toBe(tried[2]);
    expect(new Set(tried).size).toBe(3);
  });

  it('fails at once for any other reason', async () => {
    let starts = 0;
    const start = async () => {
      starts += 1;
      throw new Error('There is no anvil.');
    };
    await expect(onFreePort(start)).rejects.toThrow('There is no anvil.');
    expect(starts).toBe(1);
  });

  it('shares no port with another start', async () => {
    const schemes = await Promise.all(Array.from({ length: 60 }, () => freePort()));
    const all = schemes
      .map(ports)
      .flatMap(({ chains, ...others }) => [...Object.values(others), ...Object.values(chains)]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('stays below the ports that systems hand out by themselves', async () => {
    const highest = await onFreePort(async (port) => ports(port).archive);
    expect(highest).toBeLessThan(16_000);
  });
});
