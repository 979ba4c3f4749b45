/**
 * A server made of the MCP SDK as its guide shows: one tool that answers at once, and one that reads who holds the
 * token. `plain-mcp.ts PORT DATABASE_URL SECRET_KEY`.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import pg from 'pg';
import { tokenHash } from '../server/identity/token.ts';
import { openKeyring } from '../server/kernel/keyring.ts';

const [port, databaseUrl, secretKey = ''] = process.argv.slice(2);
const { first: secret } = openKeyring([secretKey]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });

const answerOf = (body: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(body) }] });

const handler = createMcpHandler(({ requestInfo }) => {
  const server = new McpServer({ name: 'plain', version: '1' });
  server.registerTool('ping', {}, () => answerOf({ pong: true }));
  server.registerTool('whoami', {}, async () => {
    const token = requestInfo?.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    const { rows } = await pool.query({
      name: 'whoami',
      text: `select principal_key, account_key, per_job_limit_microcents, daily_limit_microcents, payment_methods
        from credentials join principals using (principal_key) join grants using (principal_key) where token_hash = $1`,
      values: [tokenHash(token, secret)],
    });
    return answerOf(rows[0]);
  });
  return server;
});

createServer({ keepAliveTimeout: 0 }, async (req, res) => {
  const headers = new Headers(req.headers as Record<string, string>);
  const request = new Request(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: await text(req) });
  const response = await handler.fetch(request);
  const answer = await response.text();
  res.writeHead(response.status, {
    'content-type': response.headers.get('content-type') ?? 'application/json',
    'content-length': Buffer.byteLength(answer),
  });
  res.end(answer);
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
