import { createHash } from 'node:crypto';

/** A statement with its values apart: text never carries data. `name` lets PostgreSQL keep the plan. */
export interface Sql {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that may go without a name, or values. */
export interface Unprepared {
  readonly text: string;
  readonly name?: string | undefined;
  readonly values?: readonly unknown[] | undefined;
}

type Prepared = Pick<Sql, 'name' | 'text'>;

const byText = new Map<string, Prepared>();
/** A template's own parts are the same object each time it is evaluated. */
const byTemplate = new WeakMap<TemplateStringsArray, Prepared>();

/** `sql\`select … where key = ${key}\``: each `${}` becomes a parameter, never text. */
export function sql(parts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let known = byTemplate.get(parts);
  if (!known) {
    known = prepared(parts.reduce((before, part, index) => `${before}$${index}${part}`));
    byTemplate.set(parts, known);
  }
  return { name: known.name, text: known.text, values };
}

/** A statement whose text the code puts together, from names of its own. */
export function statement(text: string, values: readonly unknown[]): Sql {
  const { name } = prepared(text);
  return { name, text, values };
}

/** The columns of a row, for the text of a statement: every one of them, or it does not compile. */
export function columnsOf<Row>(names: Record<keyof Row, true>): string {
  return Object.keys(names).join(', ');
}

const assembledTexts = new Map<string, string>();

/** The same for a text that is long to put together: it is made once for each `shape`, which says all it depends on. */
export function assembled(shape: string, text: () => string, values: readonly unknown[]): Sql {
  let known = assembledTexts.get(shape);
  if (known === undefined) {
    known = text();
    assembledTexts.set(shape, known);
  }
  return statement(known, values);
}

function prepared(text: string): Prepared {
  let known = byText.get(text);
  if (!known) {
    // Statement names are cut at 63 bytes, so the text itself cannot serve.
    known = { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text };
    byText.set(text, known);
  }
  return known;
}
