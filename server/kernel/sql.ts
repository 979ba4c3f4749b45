import { createHash } from 'node:crypto';

/** A statement with its values apart: text never carries data. `name` lets PostgreSQL keep the plan. */
export interface Sql {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const names = new Map<string, string>();

/** `sql\`select … where key = ${key}\``: each `${}` becomes a parameter, never text. */
export function sql(parts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return statement(
    parts.reduce((before, part, index) => `${before}$${index}${part}`),
    values,
  );
}

/** A statement whose text the code puts together, from names of its own. */
export function statement(text: string, values: readonly unknown[]): Sql {
  let name = names.get(text);
  if (!name) {
    // Statement names are cut at 63 bytes, so the text itself cannot serve.
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values };
}
