/**
 * A host that knows only programs, with mcp-remote between, set up as its README shows: for a server with a credential, or
 * with nothing but an address, so that it sends its person there to sign in.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { buyOverMcp } from './over-mcp.ts';
import { baseUrl, show, token } from './owner.ts';

const { PATH = '', HOME = '' } = process.env;
const transport = new StdioClientTransport({
  command: 'mcp-remote',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote fills it in.
  args: [`${baseUrl}/mcp`, ...(token ? ['--header', 'Authorization:${AUTH_HEADER}'] : [])],
  env: { PATH, HOME, ...(token ? { AUTH_HEADER: `Bearer ${token}` } : {}) },
  stderr: 'pipe',
});
// It opens a browser, and prints the address for where there is none.
createInterface({ input: transport.stderr as Readable }).on('line', (line) => {
  if (line.startsWith(`${baseUrl}/oauth/authorize?`)) void show(line);
});
const client = new Client({ name: 'a host', version: '1' });
await client.connect(transport);
const verdict = await buyOverMcp(async (name, args) => {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every tool.
  const body = structuredContent as any;
  if (isError && !body.accepts) throw new Error(`${name}: ${body.detail}`);
  return body;
});
await client.close();
console.log(`The verdict is ${verdict}.`);
