/** The only source of the time of day. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** `date` moved by `seconds`, which may be negative. */
export function after(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

/** The UTC day of an instant as `YYYY-MM-DD`: daily limits count by it. */
export function utcDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The instant at which the UTC day of `date` ends. */
export function endOfUtcDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1));
}
