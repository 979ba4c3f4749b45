import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Which code can reach which, by the names that top-level declarations use. A used name counts as called, so the graph
 * reaches at least as far as any run. Does not follow calls through interfaces (the runtime's adapters).
 */
export interface CallGraph {
  /** Everything reachable from a member of an object that a file declares, as `file#name`. Throws if there is none. */
  fromMember(file: string, object: string, member: string): ReadonlySet<string>;
  /** The codes that a declaration makes a `Problem` with, or a schema issue with `addIssue`. */
  codesOf(declaration: string, maker: keyof typeof codeArgument): readonly string[];
}

/** Which argument of a refusal's constructor is the code. */
const codeArgument = { Problem: 0, addIssue: 1 };

interface Node {
  type: string;
  [key: string]: unknown;
}

interface Module {
  /** Local names of imports, with file and export; `*` for a namespace. */
  imports: Map<string, { file: string; name: string }>;
  /** Top-level declarations by name. */
  declarations: Map<string, Node>;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/**
 * The call, awaited or not, whose refusal is only inspected and not thrown: `purchaseRefusal(caller) === null`, or its
 * `?.message`. Null if none is.
 */
function lookedAt({ type, operator, left, right, object, property }: Node): Node | null {
  const isCompared =
    type === 'BinaryExpression' &&
    /^[!=]==$/.test(String(operator)) &&
    (right as Node).type === 'Literal' &&
    (right as Node).value === null;
  const isRead = type === 'MemberExpression' && (property as Node).name === 'message';
  let call = isCompared ? left : isRead ? object : null;
  while (isNode(call) && call.type === 'ParenthesizedExpression') call = call.expression;
  if (isNode(call) && call.type === 'AwaitExpression') call = call.argument;
  return isNode(call) && call.type === 'CallExpression' ? call : null;
}

/** The children of a node that are code: no types, no names of members or keys. */
function childrenOf(node: Node): Node[] {
  const looked = lookedAt(node);
  if (looked) return (looked.arguments as Node[]) ?? [];
  return Object.entries(node).flatMap(([key, value]) => {
    if ((key === 'property' || key === 'key') && node.computed === false) return [];
    return (Array.isArray(value) ? value : [value]).filter(
      (child): child is Node =>
        isNode(child) && (!child.type.startsWith('TS') || /^TS(?:As|Satisfies|NonNull)Expression$/.test(child.type)),
    );
  });
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

/** The graph of the files below `root`; `textOf` returns a file's text by its path from there. */
export function callGraph(
  root: string,
  textOf = (file: string) => readFileSync(path.join(root, file), 'utf8'),
): CallGraph {
  const moduleOf = readOnce((file) => readModule(file, textOf(file)));
  /** Where the names used by a declaration are declared. */
  function usedBy(file: string, declaration: Node): string[] {
    const { imports, declarations } = moduleOf(file);
    const used: string[] = [];
    const ofMembers = new Set<unknown>();
    const nameOf = ({ name }: Node): string | null => {
      const imported = imports.get(String(name));
      if (imported) return imported.name === '*' ? `${imported.file}#` : `${imported.file}#${imported.name}`;
      return declarations.has(String(name)) ? `${file}#${name}` : null;
    };
    walk(declaration, (node) => {
      if (node.type === 'MemberExpression' && isNode(node.object) && node.object.type === 'Identifier') {
        const object = nameOf(node.object);
        if (!object || node.computed || !isNode(node.property)) return;
        ofMembers.add(node.object);
        used.push(object.endsWith('#') ? object + node.property.name : `${object}.${node.property.name}`);
      } else if (node.type === 'Identifier' && !ofMembers.has(node)) {
        const name = nameOf(node);
        if (name && !name.endsWith('#')) used.push(name);
      }
    });
    return used;
  }
  /** A member of an object is looked up alone; otherwise the whole declaration. */
  const find = (declaration: string) => {
    const [file = '', names = ''] = declaration.split('#');
    const [name = '', member] = names.split('.');
    const node = moduleOf(file).declarations.get(name);
    return { file, node: (member && memberOf(node, member)) || node };
  };
  function required(file: string, object: string, member: string): Node {
    const value = memberOf(moduleOf(file).declarations.get(object), member);
    if (!value) throw new Error(`${object} of ${file} has no ${member}`);
    return value;
  }
  return {
    fromMember(file, object, member) {
      const reached = new Set<string>();
      const open = usedBy(file, required(file, object, member));
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        const { file: at, node } = find(next);
        if (node) open.push(...usedBy(at, node));
      }
      return reached;
    },
    codesOf(declaration, maker) {
      const { node } = find(declaration);
      const codes: string[] = [];
      if (!node) return codes;
      walk(node, (made) => {
        if (!isNode(made.callee) || made.callee.name !== maker) return;
        const code = (made.arguments as Node[])[codeArgument[maker]];
        if (code) walk(code, (part) => part.type === 'Literal' && codes.push(String(part.value)));
      });
      return codes;
    },
  };
}

function readOnce(read: (file: string) => Module): (file: string) => Module {
  const modules = new Map<string, Module>();
  return (file) => {
    const known = modules.get(file) ?? read(file);
    modules.set(file, known);
    return known;
  };
}

/** The value of a member of a declared object. */
function memberOf(declaration: Node | undefined, member: string): Node | undefined {
  let value: Node | undefined;
  let literal = declaration?.init as Node | undefined;
  while (literal?.type.startsWith('TS')) literal = literal.expression as Node;
  for (const property of (literal?.properties ?? []) as Node[]) {
    if (isNode(property.key) && property.key.name === member) value = property.value as Node;
  }
  return value;
}

function readModule(file: string, text: string): Module {
  const imports: Module['imports'] = new Map();
  const declarations: Module['declarations'] = new Map();
  const declare = (node: Node) => {
    if (node.type === 'VariableDeclaration') {
      for (const each of node.declarations as Node[]) {
        walk(each.id as Node, (id) => id.type === 'Identifier' && declarations.set(String(id.name), each));
      }
    } else if (isNode(node.id) && !node.type.startsWith('TS')) declarations.set(String(node.id.name), node);
  };
  for (const statement of parseSync(file, text).program.body as unknown as Node[]) {
    if (statement.type === 'ImportDeclaration' && statement.importKind !== 'type') {
      const source = String((statement.source as Node).value);
      if (!source.startsWith('.')) continue;
      const target = path.join(path.dirname(file), source);
      for (const specifier of statement.specifiers as Node[]) {
        if (specifier.importKind === 'type') continue;
        const name = isNode(specifier.imported) ? String(specifier.imported.name) : '*';
        imports.set(String((specifier.local as Node).name), { file: target, name });
      }
    } else if (statement.type === 'ExportNamedDeclaration' && isNode(statement.declaration)) {
      declare(statement.declaration);
    } else declare(statement);
  }
  return { imports, declarations };
}
