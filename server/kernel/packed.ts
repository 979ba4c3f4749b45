/**
 * A row that `to_json` packed into one column, where a statement answers with several rows of different kinds in one, or
 * with one beside others. By itself it saves nothing since columns are described once: 0.9 of the time of 24 columns (0.2
 * to 1.6, `npm run bench -- tricks`).
 */
export type Packed<Row> = {
  [Column in keyof Row]: Row[Column] extends Date | null
    ? string | Extract<Row[Column], null>
    : Row[Column] extends bigint | null
      ? number | Extract<Row[Column], null>
      : Row[Column];
};

/** The columns of a row whose values are of the kind `Value`. */
type ColumnsOf<Row, Value> = { [Column in keyof Row]-?: Row[Column] extends Value ? Column : never }[keyof Row];

/** Names the columns whose values JSON has no type for: every one of them, or it does not compile. */
export type Unpacking<Row> = {
  instants: Record<ColumnsOf<Row, Date | null>, true>;
  /** Amounts are safe integers, on the wire too (specification 10.1). */
  amounts: Record<ColumnsOf<Row, bigint | null>, true>;
};

/** Makes the function that reads such rows. It fills in the row it is given. */
export function unpacking<Row>({ instants, amounts }: Unpacking<Row>): (packed: Packed<Row>) => Row {
  const instantColumns = Object.keys(instants);
  const amountColumns = Object.keys(amounts);
  return (packed) => {
    const row = packed as Record<string, unknown>;
    for (const column of instantColumns) if (row[column] !== null) row[column] = new Date(row[column] as string);
    for (const column of amountColumns) if (row[column] !== null) row[column] = BigInt(row[column] as number);
    return row as Row;
  };
}
