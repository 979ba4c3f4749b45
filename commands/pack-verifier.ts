import path from 'node:path';
import { rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const standIn = (name: string) => path.join(root, 'client/browser', name);

/** Where the page of `/verify` finds its code. */
export const verifierFolder = path.join(root, 'public/verify');

/** Makes of the buyer's verifier what a browser runs: one file for each worker, which needs nothing else. */
export async function packVerifier(folder: string): Promise<void> {
  const entries = {
    'verify-worker.js': 'client/browser/verify-worker.ts',
    'schema-worker.js': 'server/work-check/deterministic/schema-worker.ts',
  };
  for (const [name, input] of Object.entries(entries)) {
    const bundle = await rolldown({
      cwd: root,
      input,
      platform: 'browser',
      logLevel: 'silent',
      resolve: {
        alias: { 'node:crypto': standIn('node-crypto.ts'), 'node:worker_threads': standIn('node-threads.ts') },
      },
      transform: { inject: { Buffer: [standIn('node-buffer.ts'), 'Buffer'] } },
    });
    await bundle.write({ file: path.join(folder, name), format: 'esm', minify: true });
    await bundle.close();
  }
}
