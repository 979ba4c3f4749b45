/**
 * A row as one JSON column (`to_json`), for statements that answer rows of several kinds at once. It gains no speed:
 * 0.9 times as long as 24 plain columns (0.2 to 1.6, `npm run bench -- tricks`).
 */
export type JsonRow<Row> = {
  [Column in keyof Row]: Row[Column] extends Date | null
    ? string | Extract<Row[Column], null>
    : Row[Column] extends bigint | null
      ? number | Extract<Row[Column], null>
      : Row[Column];
};

/** The columns of a row whose values are of the kind `Value`. */
type ColumnsOf<Row, Value> = { [Column in keyof Row]-?: Row[Column] extends Value ? Column : never }[keyof Row];

/** The columns that JSON has no type for; leaving one out does not compile. */
export type ColumnsBeyondJson<Row> = {
  instants: Record<ColumnsOf<Row, Date | null>, true>;
  /** Amounts are safe integers, on the wire too (specification 10.1). */
  amounts: Record<ColumnsOf<Row, bigint | null>, true>;
};

/** Makes a reader of such rows. It converts the object in place. */
export function jsonRowReader<Row>({ instants, amounts }: ColumnsBeyondJson<Row>): (json: JsonRow<Row>) => Row {
  const instantColumns = Object.keys(instants);
  const amountColumns = Object.keys(amounts);
  return (json) => {
    const row = json as Record<string, unknown>;
    for (const column of instantColumns) if (row[column] !== null) row[column] = new Date(row[column] as string);
    for (const column of amountColumns) if (row[column] !== null) row[column] = BigInt(row[column] as number);
    return row as Row;
  };
}
