import { randomUUID } from 'node:crypto';
import { type LegacyHttpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { fixtureServer } from './fixture-server.ts';

/** A server for each session that a client of 2025 opens, in this process: it can ask its client back. */
export function fixtureSessions(): LegacyHttpHandler {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request, options) => {
    const known = request.headers.get('mcp-session-id');
    const transport = known === null ? await opened() : open.get(known);
    return transport ? transport.handleRequest(request, options) : new Response(null, { status: 404 });
  };

  async function opened(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        open.set(id, transport);
      },
      onsessionclosed: (id) => {
        open.delete(id);
      },
    });
    await fixtureServer().connect(transport);
    return transport;
  }
}
