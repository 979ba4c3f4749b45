import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** What tests read in the server's sources: statement texts and union literals. */
const root = path.resolve(import.meta.dirname, '../..');

interface Node {
  type: string;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

/** The server's files, without tests. */
const serverFiles = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /(?<!\.(?:test|deep)|-trial)\.ts$/.test(file) && existsSync(path.join(root, file)));

const programs = new Map(
  serverFiles.map((file) => [
    file,
    parseSync(file, readFileSync(path.join(root, file), 'utf8')).program as unknown as Node,
  ]),
);

export interface Text {
  file: string;
  text: string;
}

/** A program's texts: string literals, and templates with `$` for each value. */
function textsIn(file: string, program: Node): Text[] {
  const texts: Text[] = [];
  walk(program, (node) => {
    if (node.type === 'TemplateLiteral') {
      const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
      texts.push({ file, text: parts.join('$') });
    } else if (node.type === 'Literal' && typeof node.value === 'string') texts.push({ file, text: node.value });
  });
  return texts;
}

/** Every text of the server. */
export const serverTexts: readonly Text[] = [...programs].flatMap(([file, program]) => textsIn(file, program));

/** The texts of one hypothetical file, for planted cases. */
export const textsOf = (file: string, text: string): Text[] =>
  textsIn(file, parseSync(file, text).program as unknown as Node);

/**
 * The string literals of a server type, by its name or that of a member (`JobState`, `JobRow.state`), or of a constant
 * list. Throws unless exactly one declaration has the name.
 */
export function literalsOf(name: string): string[] {
  const [owner = '', member] = name.split('.');
  const found: Node[] = [];
  for (const program of programs.values()) {
    for (const statement of program.body as Node[]) {
      const declared = isNode(statement.declaration) ? statement.declaration : statement;
      const each = declared.type === 'VariableDeclaration' ? (declared.declarations as Node[]) : [declared];
      found.push(...each.filter(({ id }) => isNode(id) && id.name === owner));
    }
  }
  const meant = member ? found.flatMap((node) => memberTypes(node, member)) : found;
  // A schema and its type share a name: the type says the same.
  const [only, ...others] = meant.filter(({ type }) => meant.length === 1 || type !== 'VariableDeclarator');
  if (!only || others.length > 0) throw new Error(`${meant.length} things of the server are called ${name}`);
  return literalsIn(only);
}

function memberTypes({ body }: Node, member: string): Node[] {
  const members = (isNode(body) ? (body.body as Node[]) : []) ?? [];
  return members.filter(({ key }) => isNode(key) && key.name === member).map((node) => node.typeAnnotation as Node);
}

/** The literals of a type or constant list; other types by name. */
function literalsIn(node: Node): string[] {
  switch (node.type) {
    case 'TSTypeAnnotation':
    case 'TSTypeAliasDeclaration':
      return literalsIn(node.typeAnnotation as Node);
    case 'TSUnionType':
      return (node.types as Node[]).flatMap(literalsIn);
    case 'TSLiteralType':
      return literalsIn(node.literal as Node);
    case 'Literal':
      return [String(node.value)];
    case 'TSTypeReference':
      return literalsOf(String((node.typeName as Node).name));
    case 'TSIndexedAccessType':
      return literalsIn(node.objectType as Node);
    case 'TSParenthesizedType':
      return literalsIn(node.typeAnnotation as Node);
    case 'TSTypeQuery':
      return literalsOf(String((node.exprName as Node).name));
    case 'TSTypeOperator':
      return literalsIn(node.typeAnnotation as Node);
    case 'VariableDeclarator':
      return literalsIn(node.init as Node);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return literalsIn(node.expression as Node);
    case 'ArrayExpression':
      return (node.elements as Node[]).flatMap(literalsIn);
    case 'ObjectExpression':
      return (node.properties as Node[]).map(({ key }) => String((key as Node).name));
    case 'SpreadElement':
      return literalsIn(node.argument as Node);
    case 'Identifier':
      return literalsOf(String(node.name));
    case 'TSNullKeyword':
      return [];
    default:
      throw new Error(`no literals in ${node.type}`);
  }
}
