import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import vectors from '../client/vectors.json' with { type: 'json' };
import { links } from '../client/verify/links.ts';
import { patched } from '../client/verify/patched.ts';
import { packVerifier } from './pack-verifier.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'verifier-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Set while somebody waits for the worker. */
let heard: (message: unknown) => void = () => {};
let worker: ReturnType<typeof workerOf>;
beforeAll(async () => {
  await packVerifier(folder);
  worker = workerOf('verify-worker.js', (message) => heard(message));
}, 60_000);

type Listener = ((event: { data: unknown }) => unknown) | null;

/** What a browser gives a worker, and nothing of Node. */
function workerOf(name: string, tell: (message: unknown) => void): { receive: (message: unknown) => void } {
  const { TextEncoder, TextDecoder, URL, crypto, CryptoKey, structuredClone, atob, btoa, AbortController } = globalThis;
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const own: Record<string, unknown> & { onmessage?: Listener } = {
    ...{ TextEncoder, TextDecoder, URL, crypto, CryptoKey, structuredClone, atob, btoa, AbortController },
    ...{ setTimeout, clearTimeout, setInterval, clearInterval, Uint8Array, Float64Array },
    location: { href: `https://check.example/verify/${name}` },
    postMessage: tell,
    Worker: class {
      onmessage: Listener = null;
      readonly #end;
      constructor(url: URL) {
        this.#end = workerOf(path.basename(url.pathname), (data) => this.onmessage?.({ data }));
      }
      postMessage(data: unknown) {
        this.#end.receive(data);
      }
      terminate() {}
    },
  };
  own.globalThis = own;
  const code = readFileSync(path.join(folder, name), 'utf8').replaceAll('import.meta.url', 'location.href');
  // Its names are its own, as those of a module are: the global scope may have one of them, such as V8's `gc`.
  const module = `(() => {'use strict';${code}\n})()`;
  // As late as in a browser: whoever starts a worker listens first.
  setTimeout(() => vm.runInContext(module, vm.createContext(own)));
  return { receive: (data) => setTimeout(() => own.onmessage?.({ data })) };
}

function told(purchase: unknown, keys: unknown): Promise<unknown> {
  return new Promise((tell) => {
    heard = tell;
    worker.receive({ purchase, keys });
  });
}

it.each(Object.entries(vectors.good))('in a browser finds every link of the good purchase %s', async (_, bundle) => {
  expect(await told(bundle, vectors.keys)).toEqual({ found: { holds: [...links], broken: null, not_run: [] } });
});

it.each(vectors.tampered)('in a browser names $broken when $name', async ({ of, broken, patch }) => {
  const bundle = patched(vectors.good[of as keyof typeof vectors.good], patch);
  expect(await told(bundle, vectors.keys)).toMatchObject({ found: { broken: { link: broken } } });
});
