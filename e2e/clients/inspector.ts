/** The command line of the MCP Inspector: one process for each call, of the revisions of 2025 or that of 2026. */
import { spawnSync } from 'node:child_process';
import { buyOverMcp } from './over-mcp.ts';
import { baseUrl, token } from './owner.ts';

const [era = 'legacy'] = process.argv.slice(2);
const inspect = ['--cli', `${baseUrl}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];

const verdict = await buyOverMcp(async (name, args) => {
  const what = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
  const all = [...inspect, '--protocol-era', era, '--format', 'json', '--quiet', ...what];
  const { stdout, stderr } = spawnSync('mcp-inspector', all, { encoding: 'utf8' });
  if (stdout === '') throw new Error(`${name}: ${stderr}`);
  const printed = JSON.parse(stdout);
  const { isError, structuredContent } = printed.result ?? printed;
  if (isError && !structuredContent.accepts) throw new Error(`${name}: ${structuredContent.detail}`);
  return structuredContent;
});
console.log(`The verdict is ${verdict}.`);
