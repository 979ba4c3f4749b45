import { Ajv2020, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Operation, problemsOf } from '../../server/operation/operation.ts';
import { tools } from '../../server/operations.ts';
import { toolListings } from '../../server/transports/mcp-tools.ts';
import type { AnswerCheck } from './answer-check.ts';
import type { WireAnswer } from './wire.ts';

/** The JSON-RPC code of a server fault. */
const internalError = -32_603;

/** What the endpoint refuses before it reads a message. */
const endpointProblems = [
  'malformed_request',
  'credential_in_url',
  // A stranger's large body, which is not read, and a body with too many values.
  'invalid_token',
  'validation_failed',
  'input_too_large',
  'method_not_allowed',
  'not_found',
];

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction>(
  toolListings.dots.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema as SchemaObject)]),
);

/** The content of an MCP answer: a tool's result or a protocol error. */
interface Message {
  result?: {
    isError?: boolean;
    structuredContent?: { code?: unknown; accepts?: unknown };
    content: { text: string }[];
  };
  error?: { code: number };
}

/** The message of an answer, sent as JSON or as an event. */
export function messageOf({ text }: WireAnswer): Message | null {
  const data = text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)?.[1];
  return data === undefined ? null : JSON.parse(data);
}

/** What is wrong with the answer to a tool call over `/mcp`; null if the tool's listing allows it. */
export function mcpFault(check: AnswerCheck, tool: string, answer: WireAnswer): string | null {
  if (!answer.requestId) return 'It carries no X-Request-Id.';
  if (answer.status >= 500) return `It answers ${answer.status}.`;
  // A notification is answered, and HEAD refused, without a body.
  if (answer.text === '') return null;
  if (answer.contentType?.startsWith('application/problem+json')) return check.refusalFault(endpointProblems, answer);
  const message = messageOf(answer);
  if (!message) return 'It is no message.';
  if (message.error) return message.error.code === internalError ? 'It is an internal error.' : null;
  const { result } = message;
  const validate = validators.get(tool);
  if (!result || !validate?.(result.structuredContent)) return ajv.errorsText(validate?.errors, { dataVar: 'result' });
  return textFault(result) ?? codeFault(tool, result);
}

type Result = NonNullable<Message['result']>;

function textFault({ content: [first], structuredContent }: Result): string | null {
  if (!first?.text) return 'It has no text.';
  // x402 clients read the text; everybody else gets the JSON once.
  const isMirrored = first.text.trimEnd() === JSON.stringify(structuredContent);
  const mirrors = structuredContent?.accepts !== undefined;
  return isMirrored === mirrors ? null : 'Its text mirrors its content where it should not, or the reverse.';
}

function codeFault(tool: string, { isError, structuredContent }: Result): string | null {
  const code = structuredContent?.code;
  if (!isError || code === undefined) return null;
  const declared = (tools.get(tool) ?? []).flatMap((operation: Operation) => problemsOf(operation)) as unknown[];
  return code !== 'internal' && declared.includes(code) ? null : `It answers ${code}, which it does not declare.`;
}
