/** A host that knows only programs, with mcp-remote between: set up as its README shows for a server with a credential. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { buyOverMcp } from './over-mcp.ts';
import { baseUrl, token } from './owner.ts';

const client = new Client({ name: 'a host', version: '1' });
await client.connect(
  new StdioClientTransport({
    command: 'mcp-remote',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote fills it in.
    args: [`${baseUrl}/mcp`, '--header', 'Authorization:${AUTH_HEADER}'],
    env: { ...(process.env as Record<string, string>), AUTH_HEADER: `Bearer ${token}` },
    stderr: 'ignore',
  }),
);
const verdict = await buyOverMcp(async (name, args) => {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every tool.
  const body = structuredContent as any;
  if (isError && !body.accepts) throw new Error(`${name}: ${body.detail}`);
  return body;
});
await client.close();
console.log(`The verdict is ${verdict}.`);
