/** A count with its noun: `1 try`, `2 tries`. Without `many`, the plural is formed with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
