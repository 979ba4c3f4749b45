import { type Arena, buyerOf, clients } from './arena.ts';
import { Connection } from './http-client.ts';
import { perSecond, ratio, spread, table, warmUpSeconds } from './measure.ts';
import type { Effort } from './purchases.ts';
import { type Server, startPlainMcp, startService } from './service.ts';

const revision = '2026-07-28';
const prefix = 'io.modelcontextprotocol';

/** Calls of a tool a second, each with the credential of its buyer. */
async function rateOf(server: Server, { principals }: Arena, tool: string, seconds: number): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: tool,
      arguments: {},
      _meta: {
        [`${prefix}/protocolVersion`]: revision,
        [`${prefix}/clientCapabilities`]: {},
        [`${prefix}/clientInfo`]: { name: 'bench', version: '1' },
      },
    },
  });
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(server.baseUrl)));
  const work = async (turn: number, client: number) => {
    const headers = {
      authorization: `Bearer ${buyerOf(principals, turn).token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    };
    const { status, text } = await (connections[client] as Connection).send('POST', '/mcp', headers, body);
    if (status !== 200 || !text.includes('"content"') || text.includes('"isError":true'))
      throw new Error(`${tool} answered ${status}: ${text}`);
  };
  try {
    await perSecond(clients, warmUpSeconds, work);
    return await perSecond(clients, seconds, work);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Calls over MCP a second, against a plain server of the SDK: with the same read of the database, and with none. */
export async function benchMcp(arena: Arena, { rounds, seconds }: Effort): Promise<string> {
  const figures: Record<'service' | 'whoami' | 'ping', number[]> = { service: [], whoami: [], ping: [] };
  await arena.onCopy(async ({ env }) => {
    for (let round = 0; round < rounds; round += 1) {
      const plain = await startPlainMcp(env);
      try {
        for (const tool of ['whoami', 'ping'] as const)
          figures[tool].push(await rateOf(plain, arena, tool, seconds / 2));
      } finally {
        await plain.stop();
      }
      const service = await startService(env);
      try {
        figures.service.push(await rateOf(service, arena, 'svc_whoami', seconds / 2));
      } finally {
        await service.stop();
      }
    }
  });
  const row = (name: string, plain: number[]) => [
    name,
    spread(plain).text,
    spread(figures.service).text,
    ratio(figures.service, plain),
  ];
  return [
    `## MCP tools/call, ${clients} clients`,
    table(
      ['', 'plain SDK server a second', 'svc_whoami a second', 'ratio'],
      [row('with the same read', figures.whoami), row('without a read', figures.ping)],
    ),
  ].join('\n');
}
