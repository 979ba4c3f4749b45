/** A value of a form: text, a list, or fields by name. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };

interface Node {
  [name: string]: Node | string;
}

const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/**
 * Reads `a[b][0]=c` as Stripe does, from a body or a query: brackets nest, `[]` and numbers make lists. Throws a sentence
 * when a name is both a value and a parent.
 */
export function readForm(text: string): Record<string, FormValue> {
  const root: Node = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) insert(root, pathOf(name), value);
  return fieldsOf(root);
}

function pathOf(name: string): string[] {
  const [, first, rest = ''] = NAME.exec(name) ?? [];
  if (first === undefined) return [name];
  return [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part = '']) => part)];
}

function insert(root: Node, path: readonly string[], value: string): void {
  let node = root;
  path.forEach((part, index) => {
    const name = part === '' ? String(Object.keys(node).length) : part;
    const existing = node[name];
    if (index === path.length - 1) {
      if (typeof existing === 'object') throw new Error(`Invalid parameter: ${path[0]} is given twice.`);
      node[name] = value;
      return;
    }
    if (typeof existing === 'string') throw new Error(`Invalid parameter: ${path[0]} is given twice.`);
    const next: Node = existing ?? Object.create(null);
    node[name] = next;
    node = next;
  });
}

function fieldsOf(node: Node): Record<string, FormValue> {
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, formValue(value)]));
}

function formValue(value: Node | string): FormValue {
  if (typeof value === 'string') return value;
  const isList = Object.keys(value).every((name, index) => name === String(index));
  return isList ? Object.values(value).map(formValue) : fieldsOf(value);
}
