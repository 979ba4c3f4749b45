/** Buys a check with the AI SDK. */
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { baseUrl, model, modelKey, modelUrl, own, signIn, task } from './task.ts';

const headers = { Authorization: `Bearer ${await signIn()}` };
const shop = await createMCPClient({ transport: { type: 'http', url: `${baseUrl}/mcp`, headers } });
const { text } = await generateText({
  model: createOpenAICompatible({ name: 'model', baseURL: modelUrl, apiKey: modelKey })(model),
  prompt: task,
  stopWhen: stepCountIs(20),
  tools: {
    ...(await shop.tools()),
    [own.name]: tool({
      description: own.description,
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: own.run,
    }),
  },
});
await shop.close();
console.log(text);
