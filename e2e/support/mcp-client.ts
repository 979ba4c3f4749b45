import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The clients that hosts are built on: the current one in both protocol eras, and the package before it. */
export const clientKinds = ['2026-07-28', '2025 era', 'older package'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** A tool as tests see it. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown> | undefined;
  annotations?: Record<string, unknown> | undefined;
}

/** A tool's answer as tests see it. */
export interface ToolAnswer {
  isError: boolean;
  texts: string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  meta: any;
}

export interface McpClient {
  version(): string | undefined;
  list(): Promise<ListedTool[]>;
  call(name: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Connects a real client of the kind. Each validates every result against the tool's output schema. */
export async function connectMcp(kind: ClientKind, url: string, token?: string): Promise<McpClient> {
  const about = { name: 'a buyer', version: '1' };
  const options = token ? { requestInit: { headers: { authorization: `Bearer ${token}` } } } : {};
  if (kind === 'older package') {
    const client = new OldClient(about);
    const transport = new OldTransport(new URL(url), options);
    await client.connect(transport as Parameters<OldClient['connect']>[0]);
    return {
      version: () => transport.protocolVersion,
      list: async () => (await client.listTools()).tools,
      call: async (name, args, meta) => answerOf(await client.callTool({ name, arguments: args, _meta: meta })),
      close: () => client.close(),
    };
  }
  const mode = kind === '2026-07-28' ? ({ pin: kind } as const) : 'legacy';
  const client = new Client(about, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return {
    version: () => client.getNegotiatedProtocolVersion(),
    list: async () => (await client.listTools()).tools,
    call: async (name, args, meta) =>
      answerOf(await client.callTool({ name, arguments: args ?? {}, ...(meta ? { _meta: meta } : {}) })),
    close: () => client.close(),
  };
}

function answerOf(result: object): ToolAnswer {
  const { content, structuredContent, isError, _meta } = result as {
    content: { text: string }[];
    structuredContent?: unknown;
    isError?: boolean;
    _meta?: unknown;
  };
  return { isError: isError ?? false, texts: content.map(({ text }) => text), body: structuredContent, meta: _meta };
}
