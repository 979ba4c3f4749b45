import { lineOf } from './mcp-lines.ts';

/**
 * Answers as Markdown, made for models: the JSON stands beside it as structured content, once. Pure.
 */

/** Longest text of a result, in characters: hosts cut off or refuse longer ones. */
const longest = 40_000;

type Body = Record<string, unknown>;

/** The texts of an answer: what it means and what to do, then what it holds. */
export function textsOf(body: Body): string[] {
  const line = lineOf(body);
  if (isReport(body)) return [line, cut(body.report.body)];
  const { next_actions: actions, next_step: _, signature: signed, ...rest } = body;
  return [line, cut([...bullets(rest), ...(signed ? [inJson] : []), ...allowed(actions)].join('\n'))];
}

/** The texts of a refusal: its sentence, then what helps to mend it. */
export function refusalTexts(line: string, body: Body): string[] {
  const { type: _t, title: _n, status: _s, detail: _d, next_step: _x, next_actions: actions, ...rest } = body;
  return [line, cut([...bullets(rest), ...allowed(actions)].join('\n'))];
}

const inJson = '- signature: in the structured content';

function isReport(body: Body): body is Body & { report: { body: string } } {
  return isPlainObject(body.report) && typeof body.report.body === 'string';
}

function cut(text: string): string {
  if (text.length <= longest) return text;
  const rest = '\n\n(Cut here. All of it is in the structured content.)';
  const kept = text.slice(0, longest - rest.length);
  return kept.slice(0, Math.max(kept.lastIndexOf('\n'), longest / 2)) + rest;
}

/** Members that say something, one a line. Deeper than one level they stay JSON. */
function bullets(body: Body, indent = ''): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (isEmpty(value)) return [];
    if (isPlainObject(value) && indent === '') return [`- ${name}:`, ...bullets(value, '  ')];
    if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
      return [`${indent}- ${name}:`, ...value.map((item) => `${indent}  - ${plain(item)}`)];
    }
    return [`${indent}- ${name}: ${Array.isArray(value) ? value.map(plain).join(', ') : plain(value)}`];
  });
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

function plain(value: unknown): string {
  // A line break would end the bullet, and let a value pass for one of ours.
  return typeof value === 'string' && !/[\r\n]/.test(value) ? value : JSON.stringify(value);
}

interface Action {
  href: string;
  mcp_tool: string;
  description: string;
  body?: Body;
  bodies?: Body[];
}

/** What may be called now, with arguments that work as they are. */
function allowed(actions: unknown): string[] {
  if (!Array.isArray(actions) || actions.length === 0) return [];
  const lines = (actions as Action[]).flatMap(({ href, mcp_tool, description, body = {}, bodies = [] }) => {
    const [first, ...others] = [body, ...bodies].map((one) => JSON.stringify({ ...keyIn(href), ...one }));
    return [`- ${mcp_tool} ${first}: ${description}`, ...others.map((other) => `  or ${other}`)];
  });
  return ['', 'Allowed now:', ...lines];
}

/** The key that an action's address names, as an argument. */
function keyIn(href: string): Body {
  const [, kind, key] = /\/(jobs|purchases)\/(\w+)/.exec(href) ?? [];
  return kind === 'jobs' ? { job_key: key } : { quote_key: key };
}

function isPlainObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
