/**
 * What a derivation may say, over operands `a`, `b`, … in the order they are quoted:
 *
 *     sum        = product (("+" | "-") product)*
 *     product    = value (("*" | "/") value)*
 *     value      = ["-"] operand | constant | "(" sum ")" | function "(" sum ("," sum)* ")"
 *     constant   = 0 to 10 | 12 | 15 | 24 | 30 | 32 | 60 | 100 | 1000 | 10000
 *     function   = sum count min max mean share round days months minutes weekday first last quarter workdays next
 *                  floor ceil
 *
 * At most five operators and four functions, over up to 60 operands. Money goes with money of one currency; days come
 * from dates, minutes from times, and a date or a time goes on by what is added. Hundreds of figures derive any number:
 * that is what the limits are for.
 */
export const GRAMMAR =
  'a + b | a - b | a * b | a / b | sum(a, b, …) | count(a, b, …) | min(…) | max(…) | mean(…) | share(a, b) = a of b in percent | round(x) | round(x, digits), floor(x), ceil(x) | days(a, b) and months(a, b) between dates (whole months) | minutes(a, b) between times (never negative) | weekday(a) | first(a), last(a) day of the month of a date (the first of the next: last(a) + 1), quarter(a) last day of its quarter | workdays(a, n, holidays …) n working days (Monday to Friday) after a | next(a, b) the first date on or after a that is the weekday b ("Thursday") | a date + or - days (or "2 weeks", "3 months", "48 hours" as quoted) | a time + or - minutes (or "half an hour" as quoted) | -a; a date may be claimed as its month or year alone; 12% counts as 12; constants 0 to 10, 12, 15, 24, 30, 32, 60, 100, 1000, 10000; brackets allowed, * and / before + and -; at most five operators and four functions, over up to 60 operands';

export type Node =
  | { is: 'operand'; at: number }
  | { is: 'constant'; value: number }
  | { is: 'operator'; mark: string; left: Node; right: Node }
  | { is: 'call'; name: string; of: Node[] };

const CONSTANTS = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 24, 30, 32, 60, 100, 1000, 10_000]);
const OPERATORS_MAX = 5;
const OPERANDS_MAX = 60;
const CHARS_MAX = 400;
const FUNCTIONS_MAX = 4;
const FUNCTIONS = new Set(
  'sum count min max mean share round days months minutes weekday first last quarter workdays next floor ceil'.split(
    ' ',
  ),
);
const TOKEN = /\s*(?:(\d{1,5})|([a-z]{1,8}\d{0,2})|([-+*/(),×÷−]))/y;

/** The name of the operand at a place: a … z, then a1 … z1. */
export const operandName = (at: number): string =>
  String.fromCharCode(97 + (at % 26)) + (at < 26 ? '' : String(Math.floor(at / 26)));

/** The tree of an expression over so many operands; undefined where it is not of the grammar or over its limits. */
export function parse(expression: string, operands: number): Node | undefined {
  if (operands === 0 || operands > OPERANDS_MAX || expression.length > CHARS_MAX) return undefined;
  const tokens = tokensOf(expression) ?? [];
  if (tokens.length === 0) return undefined;
  let [at, operators, calls] = [0, 0, 0];
  const names = new Map(Array.from({ length: operands }, (_, place) => [operandName(place), place]));
  const take = (mark: string): boolean => {
    const found = tokens[at] === mark;
    if (found) at += 1;
    return found;
  };
  const chain = (marks: readonly string[], next: () => Node | undefined): Node | undefined => {
    let left = next();
    while (left !== undefined && marks.includes(tokens[at] ?? '')) {
      const mark = tokens[at] as string;
      at += 1;
      operators += 1;
      const right = next();
      left = right === undefined ? undefined : { is: 'operator', mark, left, right };
    }
    return left;
  };
  const sum = (): Node | undefined => chain(['+', '-'], () => chain(['*', '/'], value));
  function value(): Node | undefined {
    const token = tokens[at] ?? '';
    if (take('-')) {
      operators += 1;
      const right = value();
      return right && { is: 'operator', mark: '-', left: { is: 'constant', value: 0 }, right };
    }
    if (take('(')) {
      const inner = sum();
      return inner !== undefined && take(')') ? inner : undefined;
    }
    at += 1;
    if (/^\d/.test(token)) return CONSTANTS.has(Number(token)) ? { is: 'constant', value: Number(token) } : undefined;
    if (FUNCTIONS.has(token)) return call(token);
    const place = names.get(token);
    return place === undefined ? undefined : { is: 'operand', at: place };
  }
  function call(name: string): Node | undefined {
    if (!take('(')) return undefined;
    calls += 1;
    const of: Node[] = [];
    do {
      const one = sum();
      if (one === undefined) return undefined;
      of.push(one);
    } while (take(','));
    return take(')') ? { is: 'call', name, of } : undefined;
  }
  const tree = sum();
  return tree === undefined || at < tokens.length || operators > OPERATORS_MAX || calls > FUNCTIONS_MAX
    ? undefined
    : tree;
}

function tokensOf(expression: string): string[] | undefined {
  const tokens: string[] = [];
  const same: Readonly<Record<string, string>> = { '×': '*', '÷': '/', '−': '-' };
  const text = expression.toLowerCase().trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null) return undefined;
    const token = found[1] ?? found[2] ?? found[3] ?? '';
    tokens.push(same[token] ?? token);
  }
  return tokens;
}
