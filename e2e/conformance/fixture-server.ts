import {
  acceptedContent,
  type InputRequest,
  inputRequired,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { png, states, tools } from './fixture-tools.ts';

/** A server with everything that the official suite calls by name, to be mounted on the product's own door. */

const text = (words: string) => ({ type: 'text', text: words }) as const;
const fromUser = <T extends object>(content: T) => ({ role: 'user', content }) as const;

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'This one may be watched.' },
} as const;

function read(uri: string) {
  const found = Object.hasOwn(resources, uri) ? resources[uri as keyof typeof resources] : undefined;
  if (found) return { contents: [{ uri, ...found }] };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (!id) throw new ResourceNotFoundError(uri);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: data }] };
}

const required = (name: string) => ({ name, required: true });
const prompts = [
  { name: 'test_simple_prompt' },
  { name: 'test_prompt_with_arguments', arguments: [required('arg1'), required('arg2')] },
  { name: 'test_prompt_with_embedded_resource', arguments: [required('resourceUri')] },
  { name: 'test_prompt_with_image' },
  { name: 'test_input_required_result_prompt' },
];

function messagesOf(name: string, args: Record<string, string>) {
  switch (name) {
    case 'test_prompt_with_arguments':
      return [fromUser(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`))];
    case 'test_prompt_with_embedded_resource': {
      const resource = {
        uri: args.resourceUri ?? '',
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      };
      return [
        fromUser({ type: 'resource', resource } as const),
        fromUser(text('Please process the embedded resource above.')),
      ];
    }
    case 'test_prompt_with_image':
      return [
        fromUser({ type: 'image', data: png, mimeType: 'image/png' } as const),
        fromUser(text('Please analyze the image above.')),
      ];
    default:
      return [fromUser(text('This is a simple prompt for testing.'))];
  }
}

const askContext: InputRequest = inputRequired.elicit({
  mode: 'form',
  message: 'What context should the prompt use?',
  requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
});

export function fixtureServer(): Server {
  const cached = { ttlMs: 1_000, cacheScope: 'public' } as const;
  const server = new Server(
    { name: 'conformance-fixtures', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: states.verify },
      cacheHints: {
        'tools/list': cached,
        'resources/list': cached,
        'resources/read': cached,
        'resources/templates/list': cached,
        'prompts/list': cached,
        'server/discover': cached,
      },
    },
  );
  const inputSchema = { type: 'object' } as const;
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: `The fixture ${name}.`, inputSchema })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools[params.name];
    if (!tool) return { isError: true, content: [text(`There is no tool ${params.name}.`)] };
    return tool(params.arguments ?? {}, ctx.mcpReq, ctx);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('logging/setLevel', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map((prompt) => ({ ...prompt, description: `The fixture ${prompt.name}.` })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
    if (params.name !== 'test_input_required_result_prompt')
      return { messages: messagesOf(params.name, params.arguments ?? {}) };
    const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.context;
    return context === undefined
      ? inputRequired({ inputRequests: { user_context: askContext } })
      : { messages: [fromUser(text(`The context: ${context}`))] };
  });
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}
