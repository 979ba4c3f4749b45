import { toWire } from '../kernel/money.ts';
import type { Told } from '../payments/told.ts';

/** Rows as answers carry them: instants as text, amounts as numbers. */
export type Wired<Row> = {
  [Column in keyof Row]: WiredValue<Row[Column]>;
};
type WiredValue<Value> = Value extends Date ? string : Value extends bigint ? number : Value;

/** A row with its instants and amounts as in JSON. */
export function wired<Row extends object>(row: Row): Wired<Row> {
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? toWire(value) : value,
  ]);
  return Object.fromEntries(entries) as Wired<Row>;
}

export function onWire<Row extends object>({ rows, total }: Told<Row>): Told<Wired<Row>> {
  return { rows: rows.map(wired), total };
}
