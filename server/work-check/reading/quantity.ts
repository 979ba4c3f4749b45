/**
 * A figure as a reader takes it. `value` is in base units (percent as 42, money in the currency's unit, a clock time
 * in minutes); a date carries the parts it states. `unit` is the stem of the thing counted, or empty.
 */
export type Quantity = {
  kind: 'number' | 'percent' | 'money' | 'date' | 'time';
  value: number;
  /** Half of the last stated digit's worth: 1.2 million may stand for anything from 1.15 to 1.25 million. */
  tolerance: number;
  unit: string;
  /** A time told by the dial of a clock: morning or evening is not said. */
  spoken?: true;
  year?: number;
  month?: number;
  day?: number;
  start: number;
  end: number;
  first: number;
  last: number;
};
