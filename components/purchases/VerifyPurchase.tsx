'use client';

import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Asked, Told } from '@/client/browser/verify-worker.ts';
import { Key } from '../ui/Key.tsx';
import { linkWords } from './link-words.ts';

/** Fetched when somebody verifies, and not before. */
const CODE = '/verify/verify-worker.js';

type Outcome = 'ready' | 'checking' | { fault: string } | Extract<Told, { found: unknown }>['found'];

/** Checks a purchase in the reader's own browser: the files go nowhere. */
export function VerifyPurchase() {
  const [outcome, setOutcome] = useState<Outcome>('ready');
  // Until then a click would submit the form, which leads nowhere.
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => setLoaded(true), []);
  const worker = useRef<Worker>(null);
  useEffect(() => () => worker.current?.terminate(), []);

  async function verify(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (outcome === 'checking') return;
    const files = new FormData(event.currentTarget);
    setOutcome('checking');
    try {
      const purchase = await jsonOf(files, 'purchase');
      const keys = (await jsonOf(files, 'keys')) as Asked['keys'];
      if (!Array.isArray(keys?.keys)) throw new Unreadable('The file of keys holds no list of keys.');
      worker.current ??= new Worker(CODE, { type: 'module' });
      setOutcome(outcomeOf(await answerOf(worker.current, { purchase, keys })));
    } catch (error) {
      worker.current?.terminate();
      worker.current = null;
      setOutcome({ fault: error instanceof Unreadable ? error.message : 'The verifier could not be loaded.' });
    }
  }

  return (
    <div className="noscript:hidden">
      <form onSubmit={verify} className="grid max-w-read gap-5">
        <FileField name="purchase" label="Purchase">
          What <Key>work-check buy</Key> kept: the quote, the request, the reports and the receipts.
        </FileField>
        <FileField name="keys" label="Keys of the seller">
          A JSON Web Key Set from where you trust it. This service publishes its own at{' '}
          <a href="/.well-known/jwks.json" className="link">
            /.well-known/jwks.json
          </a>
          .
        </FileField>
        <button
          type="submit"
          className="btn btn-primary justify-self-start"
          aria-disabled={outcome === 'checking'}
          disabled={!isLoaded}
        >
          Verify
        </button>
      </form>
      <div aria-live="polite" className="mt-8">
        <Result outcome={outcome} />
      </div>
    </div>
  );
}

function FileField({ name, label, children }: { name: string; label: string; children: ReactNode }) {
  return (
    <div>
      <label className="label" htmlFor={name}>
        {label}
      </label>
      <input
        id={name}
        name={name}
        type="file"
        required
        accept=".json,application/json"
        className="field py-1.5 text-ui file:btn file:mr-3"
        aria-describedby={`${name}-hint`}
      />
      <p id={`${name}-hint`} className="hint">
        {children}
      </p>
    </div>
  );
}

function Result({ outcome }: { outcome: Outcome }) {
  if (outcome === 'ready') return null;
  if (outcome === 'checking') return <p className="text-ink-2">Checking…</p>;
  if ('fault' in outcome) return <p className="text-fault">{outcome.fault}</p>;
  const { holds, broken, not_run } = outcome;
  const stateOf = (link: string) =>
    broken?.link === link ? 'broken' : holds.some((one) => one === link) ? 'holds' : 'open';
  return (
    <section aria-labelledby="result" className="max-w-read">
      <h2 id="result" className="text-h2">
        {broken ? `It breaks at “${broken.link}”` : 'Everything holds'}
      </h2>
      {broken ? <p className="mt-2 text-fault">{broken.because}</p> : null}
      <ul className="mt-3 border-t border-ink text-dense">
        {linkWords.map(([link, words]) => (
          <li key={link} className="flex flex-wrap items-center gap-x-4 border-b border-line py-2.5">
            <Mark state={stateOf(link)} />
            {words}
          </li>
        ))}
      </ul>
      {not_run.map((note) => (
        <p key={note} className="mt-2 text-ink-2">
          Not run again: {note}
        </p>
      ))}
    </section>
  );
}

const marks = {
  holds: { icon: CircleCheck, tone: 'text-settled', word: 'Holds' },
  broken: { icon: CircleX, tone: 'text-fault', word: 'Broken' },
  open: { icon: CircleDashed, tone: 'text-ink-3', word: 'Not reached' },
} as const;

function Mark({ state }: { state: keyof typeof marks }) {
  const { icon: Icon, tone, word } = marks[state];
  return (
    <span className={`inline-flex w-28 items-center gap-2 ${tone}`}>
      <Icon className="icon" />
      {word}
    </span>
  );
}

/** What was given cannot be read, and why. */
class Unreadable extends Error {}

async function jsonOf(files: FormData, name: string): Promise<unknown> {
  const file = files.get(name) as File;
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Unreadable(`${file.name} is not JSON.`);
  }
}

function answerOf(worker: Worker, asked: Asked): Promise<Told> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Told>) => resolve(data);
    worker.onerror = reject;
    worker.postMessage(asked);
  });
}

function outcomeOf(told: Told): Outcome {
  if ('found' in told) return told.found;
  if ('failed' in told) return { fault: `The verifier broke: ${told.failed}` };
  return { fault: 'This browser cannot check Ed25519 signatures. A newer one can, and so can the command.' };
}
