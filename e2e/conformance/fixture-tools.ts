import { setTimeout as pause } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The tools that the official suite calls by name: each does what its scenario says, and nothing else. */

export type Mcp = ServerContext['mcpReq'];
type Tool = (
  args: Record<string, unknown>,
  mcp: Mcp,
  ctx: ServerContext,
) => Promise<CallToolResult | InputRequiredResult>;

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A sound without a sample. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const image = { type: 'image', data: png, mimeType: 'image/png' } as const;

/** Seals what goes to the client and comes back: an altered state is refused before a tool runs. */
export const states = createRequestStateCodec<{ round: number }>({
  key: 'a key of the conformance fixtures, 32 bytes',
});

const asksFor = (
  message: string,
  properties: ElicitRequestFormParams['requestedSchema']['properties'],
  required: string[] = Object.keys(properties),
): InputRequest =>
  inputRequired.elicit({ mode: 'form', message, requestedSchema: { type: 'object', properties, required } });

const form = (message: string, name: string): InputRequest => asksFor(message, { [name]: { type: 'string' } });
const sampled = (words: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens });

/** What the client lets the server ask it for. */
const capabilitiesOf = ({ envelope }: Mcp): Record<string, unknown> =>
  (envelope as Record<string, Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};

function needs(mcp: Mcp, capability: 'sampling' | 'elicitation' | 'roots'): void {
  if (!(capability in capabilitiesOf(mcp)))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { [capability]: {} } });
}

/** Asks for one thing, and answers once it came. */
function asking(
  capability: 'sampling' | 'elicitation' | 'roots',
  key: string,
  request: () => InputRequest,
  answer: (mcp: Mcp) => string | undefined,
): Tool {
  return async (_, mcp) => {
    needs(mcp, capability);
    const words = answer(mcp);
    return words === undefined ? inputRequired({ inputRequests: { [key]: request() } }) : text(words);
  };
}

const accepted = (mcp: Mcp, key: string, name: string): string | undefined => {
  const value = acceptedContent(mcp.inputResponses, key)?.[name];
  return value === undefined ? undefined : String(value);
};

/** Asks the client for the one thing that `request` makes of the arguments, and answers with all that it said. */
const echoing =
  (key: string, request: (args: Record<string, unknown>) => InputRequest): Tool =>
  async (args, mcp) => {
    const said = mcp.inputResponses?.[key];
    return said === undefined
      ? inputRequired({ inputRequests: { [key]: request(args) } })
      : text(`The client says: ${JSON.stringify(said)}`);
  };

/** Three values with titles. */
const titled = (title: string) =>
  ['First', 'Second', 'Third'].map((nth, index) => ({ const: `value${index + 1}`, title: `${nth} ${title}` }));

/** Reports progress to whoever asked for it. */
const withProgress: Tool = async (_, mcp) => {
  const progressToken = mcp._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcp.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await pause(50);
  }
  return text('Done.');
};

const withLogging: Tool = async (_, mcp) => {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcp.log('info', words);
    await pause(50);
  }
  return text('Logged.');
};

const elicitName = asking(
  'elicitation',
  'user_name',
  () => form('What is your name?', 'name'),
  (mcp) => {
    const name = accepted(mcp, 'user_name', 'name');
    return name && `Hello, ${name}!`;
  },
);

const confirmed: Tool = async (_, mcp, ctx) => {
  const state = mcp.requestState<{ round: number }>();
  if (state && accepted(mcp, 'confirm', 'ok') !== undefined) return text('state-ok');
  return inputRequired({
    inputRequests: { confirm: asksFor('Please confirm', { ok: { type: 'boolean' } }) },
    requestState: await states.mint({ round: 1 }, ctx),
  });
};

const multipleInputs: Tool = async (_, mcp, ctx) => {
  for (const capability of ['elicitation', 'sampling', 'roots'] as const) needs(mcp, capability);
  const missing = ['user_name', 'greeting', 'client_roots'].filter(
    (key) => inputResponse(mcp.inputResponses, key).kind === 'missing',
  );
  if (missing.length === 0 && mcp.requestState()) return text('All there.');
  return inputRequired({
    inputRequests: {
      user_name: form('What is your name?', 'name'),
      greeting: sampled('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await states.mint({ round: 1 }, ctx),
  });
};

const multiRound: Tool = async (_, mcp, ctx) => {
  const round = mcp.requestState<{ round: number }>()?.round ?? 0;
  const ask = async (step: number, request: InputRequest) =>
    inputRequired({
      inputRequests: { [`step${step}`]: request },
      requestState: await states.mint({ round: step }, ctx),
    });
  if (round === 2 && accepted(mcp, 'step2', 'color') !== undefined) return text('Thank you.');
  if (round >= 1 && accepted(mcp, 'step1', 'name') !== undefined)
    return ask(2, form('Step 2: What is your favorite color?', 'color'));
  return ask(1, form('Step 1: What is your name?', 'name'));
};

/** Asks for whatever the client can be asked for. */
const byCapability: Tool = async (_, mcp) => {
  const can = capabilitiesOf(mcp);
  const requests: Record<string, InputRequest> = {
    ...('elicitation' in can ? { user_name: form('What is your name?', 'name') } : {}),
    ...('sampling' in can ? { capital_question: sampled('What is the capital of France?', 100) } : {}),
    ...('roots' in can ? { client_roots: inputRequired.listRoots() } : {}),
  };
  if (mcp.inputResponses || Object.keys(requests).length === 0) return text('Done.');
  return inputRequired({ inputRequests: requests });
};

export const tools: Readonly<Record<string, Tool>> = {
  test_simple_text: async () => text('This is a simple text response for testing.'),
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_tool_with_logging: withLogging,
  test_logging_tool: async (_, mcp) => {
    await mcp.log('info', 'Nobody asked for this.');
    return text('Logged.');
  },
  test_tool_with_progress: withProgress,
  test_sampling: echoing('sample', ({ prompt }) => sampled(String(prompt), 100)),
  test_elicitation: echoing('user', ({ message }) =>
    asksFor(String(message), { username: { type: 'string' }, email: { type: 'string' } }),
  ),
  test_elicitation_sep1034_defaults: echoing('user', () =>
    asksFor('Who are you?', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  test_elicitation_sep1330_enums: echoing('user', () =>
    asksFor('What do you choose?', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['First Option', 'Second Option', 'Third Option'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  ),
  test_error_handling: async () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_missing_capability: async (_, mcp) => {
    needs(mcp, 'sampling');
    return text('It can be sampled.');
  },
  test_streaming_elicitation: elicitName,
  test_input_required_result_elicitation: elicitName,
  test_input_required_result_sampling: asking(
    'sampling',
    'capital_question',
    () => sampled('What is the capital of France?', 100),
    (mcp) =>
      inputResponse(mcp.inputResponses, 'capital_question').kind === 'sampling' ? 'Paris, it says.' : undefined,
  ),
  test_input_required_result_list_roots: asking(
    'roots',
    'client_roots',
    () => inputRequired.listRoots(),
    (mcp) => {
      const answer = inputResponse(mcp.inputResponses, 'client_roots');
      return answer.kind === 'roots' ? `Roots: ${JSON.stringify(answer.roots)}` : undefined;
    },
  ),
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: multipleInputs,
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: byCapability,
};
