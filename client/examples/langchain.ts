/** Buys a check with LangChain. */
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { baseUrl, model, modelKey, modelUrl, own, signIn, task } from './task.ts';

const headers = { Authorization: `Bearer ${await signIn()}` };
const shop = new MultiServerMCPClient({ 'work-check': { transport: 'http', url: `${baseUrl}/mcp`, headers } });
const ownTool = tool(own.run, { name: own.name, description: own.description, schema: z.looseObject({}) });
const agent = createAgent({
  model: new ChatOpenAI({ model, apiKey: modelKey, configuration: { baseURL: modelUrl } }),
  tools: [...(await shop.getTools()), ownTool],
});
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: task }] }, { recursionLimit: 50 });
await shop.close();
console.log(messages.at(-1)?.text);
