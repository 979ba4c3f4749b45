/**
 * A machine whose clock is wrong: loaded before everything else by `node --import`, it shifts the time of day of the
 * process by CLOCK_SHIFT_SECONDS, and on SIGUSR2 by as many more seconds. What counts from the start goes on as it was.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_SECONDS ?? 0) * 1_000;
const OwnDate = Date;
let offsetMs = process.env.CLOCK_SHIFT_LATER ? 0 : shiftMs;
process.on('SIGUSR2', () => {
  offsetMs += shiftMs;
});

class ShiftedDate extends OwnDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(OwnDate.now() + offsetMs);
    else super(...args);
  }
  static override now(): number {
    return OwnDate.now() + offsetMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
