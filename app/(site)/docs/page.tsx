import type { Metadata } from 'next';
import { readOffer } from '../offer.ts';
import { Guide } from './Guide.tsx';

export const metadata: Metadata = { title: 'How agents buy' };

const contents = [
  ['Find the service', 'find'],
  ['Sign in with a wallet', 'sign-in'],
  ['Register for a customer', 'register'],
  ['Buy a check', 'buy'],
  ['Pay over x402', 'pay'],
  ['Read a report', 'read'],
  ['Digests and signatures', 'proofs'],
  ['Repeat safely', 'repeat'],
  ['Follow along', 'follow'],
  ['Governed sources', 'sources'],
  ['Buy over MCP', 'mcp'],
  ['Operations', 'operations'],
  ['Problems', 'problems'],
  ['Terms', 'terms'],
  ['Security', 'security'],
] as const;

function Contents() {
  return (
    <nav aria-label="Contents" className="mt-4 print:hidden">
      <ul className="flex flex-wrap gap-x-5 lg:block">
        {contents.map(([name, id]) => (
          <li key={id}>
            <a href={`#${id}`} className="inline-flex min-h-8 items-center text-ink-2 hover:text-ink">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The guide for people who build or instruct a buying agent. */
export default async function DocsPage() {
  return (
    <div className="mx-auto grid max-w-page gap-x-16 gap-y-10 px-4 py-12 md:px-6 md:py-16 lg:grid-cols-[14rem_minmax(0,45rem)]">
      <div className="lg:sticky lg:top-8 lg:self-start">
        <h1 className="text-h1">How agents buy</h1>
        <Contents />
      </div>
      <div className="min-w-0">
        <Guide {...(await readOffer())} />
      </div>
    </div>
  );
}
