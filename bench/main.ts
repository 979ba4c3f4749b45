/**
 * `npm run bench`: speed as ratios, in one run. `-- purchases cards transactions reads mcp limits growth pickup console
 * pages tricks x402` name the parts to run, all without; `-- quick` is a smoke run whose figures mean nothing.
 */
import { buildApp } from '../commands/build.ts';
import { generateClient } from '../commands/prisma.ts';

await generateClient();
await buildApp();
// What is measured imports the client, which is not there before.
await import('./parts.ts');
