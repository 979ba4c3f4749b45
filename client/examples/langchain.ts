/** Buys a check with LangChain. */
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { baseUrl, model, modelKey, modelUrl, signIn, signPayment, signPaymentWords, task } from './task.ts';

const headers = { Authorization: `Bearer ${await signIn()}` };
const shop = new MultiServerMCPClient({ 'work-check': { transport: 'http', url: `${baseUrl}/mcp`, headers } });
const signing = tool(async (required) => JSON.stringify(await signPayment(required as never)), {
  name: 'sign_payment',
  description: signPaymentWords,
  schema: z.looseObject({}),
});
const agent = createAgent({
  model: new ChatOpenAI({ model, apiKey: modelKey, configuration: { baseURL: modelUrl } }),
  tools: [...(await shop.getTools()), signing],
});
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: task }] }, { recursionLimit: 50 });
await shop.close();
console.log(messages.at(-1)?.text);
