import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Operation, problemsOf } from '../../server/operation/operation.ts';
import { operations } from '../../server/operations.ts';
import { problems } from '../../server/problems/catalogue.ts';
import { openApiDocument } from '../../server/transports/openapi.ts';
import { pathPattern } from './path-pattern.ts';
import type { WireAnswer } from './wire.ts';

/**
 * Answers of an address that names no page, including requests that no page accepts because of their body or length.
 */
const pageRefusals: readonly number[] = [400, 404, 413];

const patterns = Object.values(operations).map((operation: Operation) => ({
  operation,
  pattern: pathPattern(operation),
}));

/** Agents get problems; people get a page. */
const agentAddresses = /^\/api\/(agent|x402)\//;

const ambiguous = /\/\/|\\|%2f|%5c|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** Checks answers against the OpenAPI document: status, content type, body, and the code of a refusal. */
export class AnswerCheck {
  readonly #document: ReturnType<typeof openApiDocument>;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(baseUrl: string) {
    this.#document = openApiDocument(baseUrl);
    this.#ajv.addSchema(this.#document, 'document');
  }

  /** What is wrong with an answer; null when the document allows it. */
  fault(method: string, target: string, answer: WireAnswer): string | null {
    const path = target.split('?', 1)[0] ?? '';
    // Ambiguous addresses lead nowhere.
    if (ambiguous.test(path)) return answer.status === 404 ? null : 'It leads somewhere.';
    const atPath = patterns.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation);
    const operation = atPath.find((found) => found.method === method);
    if (atPath.length === 0 && !agentAddresses.test(path))
      return pageRefusals.includes(answer.status) ? null : 'It is no page.';
    if (!answer.requestId) return 'It carries no X-Request-Id.';
    if (operation) return this.#faultOf(operation, answer);
    // Like GET, without a body.
    if (method === 'HEAD' && atPath.some((found) => found.method === 'GET')) {
      return answer.text === '' ? null : 'An answer to HEAD has a body.';
    }
    const expected = atPath.length > 0 ? 'method_not_allowed' : 'not_found';
    // An answer to HEAD has no body.
    if (method === 'HEAD') return answer.status === problems[expected].status ? null : `It is no ${expected}.`;
    return this.refusalFault([expected], answer);
  }

  #faultOf(operation: Operation, answer: WireAnswer): string | null {
    if (answer.status >= 400 && answer.status !== 402) {
      const declared = problemsOf(operation).filter((code) => code !== 'internal');
      const fault = this.refusalFault(declared, answer);
      if (fault) return fault;
    }
    const responses = this.#document.paths?.[operation.path]?.[operation.method.toLowerCase() as 'get']?.responses;
    const response = responses?.[`${answer.status}`] as { content?: Record<string, unknown> } | undefined;
    if (!response) return `${operation.name} does not declare ${answer.status}.`;
    if (!response.content) return answer.text === '' ? null : `A body comes with ${answer.status}.`;
    const type = mediaType(answer);
    if (!Object.hasOwn(response.content, type))
      return `${operation.name} does not declare ${answer.status} as ${type}.`;
    const steps = ['paths', operation.path, operation.method.toLowerCase(), 'responses', `${answer.status}`, 'content'];
    return this.#schemaFault([...steps, type, 'schema'], answer.text);
  }

  /** What is wrong with a refusal that may have these codes; null if nothing. */
  refusalFault(codes: readonly string[], answer: WireAnswer): string | null {
    if (mediaType(answer) !== 'application/problem+json') return `A refusal comes as ${answer.contentType}.`;
    const fault = this.#schemaFault(['components', 'schemas', 'Problem'], answer.text);
    if (fault) return fault;
    const { code, status } = JSON.parse(answer.text) as { code: keyof typeof problems; status: number };
    if (!codes.includes(code)) return `It answers ${code}, which is not among ${codes.join(', ')}.`;
    const consistent = status === answer.status && problems[code].status === answer.status;
    return consistent ? null : `${code} comes with the status ${answer.status}.`;
  }

  #schemaFault(steps: readonly string[], text: string): string | null {
    const pointer = `document#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#compiled.set(pointer, validate);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return 'Its body is not JSON.';
    }
    return validate(body) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'body' });
  }
}

function mediaType({ contentType }: WireAnswer): string {
  return contentType?.split(';', 1)[0]?.trim() ?? '';
}
