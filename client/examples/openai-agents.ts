/** Buys a check with OpenAI Agents. */
import {
  Agent,
  MCPServerStreamableHttp,
  OpenAIChatCompletionsModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { baseUrl, model, modelKey, modelUrl, own, signIn, task } from './task.ts';

setTracingDisabled(true);
const headers = { Authorization: `Bearer ${await signIn()}` };
const shop = new MCPServerStreamableHttp({ url: `${baseUrl}/mcp`, name: 'work-check', requestInit: { headers } });
await shop.connect();
const ownTool = tool({
  name: own.name,
  description: own.description,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
  strict: false,
  execute: own.run,
});
const agent = new Agent({
  name: 'Buyer',
  model: new OpenAIChatCompletionsModel(new OpenAI({ apiKey: modelKey, baseURL: modelUrl }), model),
  mcpServers: [shop],
  tools: [ownTool],
});
const { finalOutput } = await run(agent, task, { maxTurns: 20 });
await shop.close();
console.log(finalOutput);
