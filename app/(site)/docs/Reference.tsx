import { Key } from '@/components/ui/Key.tsx';
import type { Audience, Operation } from '@/server/operation/operation.ts';
import { operations } from '@/server/operations.ts';
import { problems } from '@/server/problems/catalogue.ts';

const inGuide: readonly Audience[] = ['public', 'agent'];

/** Every operation for agents, from the list that serves them. Members use pages instead. */
export function Operations() {
  const all = Object.values<Operation>(operations).filter(({ audience }) =>
    audience.some((kind) => inGuide.includes(kind)),
  );
  return (
    <ul className="border-t border-ink text-ui">
      {all.map((operation) => (
        <li key={operation.name} className="border-b border-line py-3">
          <Key>{`${operation.method} ${operation.path}`}</Key>
          <p className="mt-1">{operation.summary}</p>
          {operation.tool ? (
            <p className="mt-1 text-dense text-ink-3">
              Over MCP: <Key>{operation.tool}</Key>
            </p>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

/** Every refusal, from the catalogue. */
export function Problems() {
  return (
    <ul className="border-t border-ink text-ui">
      {Object.entries(problems).map(([code, problem]) => (
        <li
          key={code}
          className="grid gap-x-4 border-b border-line py-2 md:grid-cols-[3rem_15rem_minmax(0,1fr)] md:items-baseline"
        >
          <span className="text-dense text-ink-3 tabular-nums">{problem.status}</span>
          <a href={`/problems/${code}`} className="link key inline-flex min-h-6 items-center">
            {code}
          </a>
          <span>{problem.title}</span>
        </li>
      ))}
    </ul>
  );
}
