import type { Metadata } from 'next';
import { CodeBlock } from '@/components/ui/CodeBlock.tsx';
import { Key } from '@/components/ui/Key.tsx';
import { doorProblems, type Operation } from '@/server/operation/operation.ts';
import { operations } from '@/server/operations.ts';
import { type ProblemCode, problems } from '@/server/problems/catalogue.ts';
import { defaultGrant, price } from '@/server/service/terms.ts';
import { Missing, show } from '../../../show.tsx';

interface Props {
  params: Promise<{ code: string }>;
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}

async function codeOf({ params }: Props): Promise<ProblemCode> {
  const { code } = await params;
  if (!isProblemCode(code)) throw new Missing();
  return code;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { code } = await params;
  return { title: isProblemCode(code) ? problems[code].title : 'Nothing here' };
}

/** Members of a problem that only some codes have. */
const exampleMembers: Partial<Record<ProblemCode, Record<string, unknown>>> = {
  validation_failed: {
    errors: [{ pointer: '/evidence', code: 'too_small', detail: 'It must hold at least 1 item.' }],
  },
  grant_limit_exceeded: {
    limit: 'daily',
    limit_microcents: Number(defaultGrant.daily_limit_microcents),
    used_microcents: Number(defaultGrant.daily_limit_microcents),
    reserved_microcents: Number(price),
    remaining_microcents: 0,
    resets_at: '2026-07-22T00:00:00.000Z',
    next_actions: ['…'],
  },
  service_unavailable: { reasons: ['facilitator_unreachable'] },
  code_invalid: { attempts_remaining: 4 },
};

function exampleOf(code: ProblemCode): string {
  const { status, title, retryable } = problems[code];
  return JSON.stringify(
    {
      type: `…/problems/${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      retryable,
      request_id: 'req_…',
      ...exampleMembers[code],
    },
    null,
    2,
  );
}

function Answerers({ code }: { code: ProblemCode }) {
  const all: readonly Operation[] = Object.values(operations);
  const own = all.filter((operation) => operation.problems.includes(code) || doorProblems(operation).includes(code));
  if (own.length === all.length) return 'Any operation';
  return (
    <ul className="space-y-1">
      {own.map((operation) => (
        <li key={operation.name}>
          <Key>{`${operation.method} ${operation.path}`}</Key>
        </li>
      ))}
    </ul>
  );
}

/** The page that a problem's `type` points to: its meaning and the next step. */
export default show(async (props: Props) => {
  const code = await codeOf(props);
  const problem = problems[code];
  return (
    <div className="mx-auto max-w-read px-4 py-12 md:py-16">
      <p className="text-dense text-ink-3">
        <a href="/docs#problems" className="inline-flex min-h-6 items-center hover:text-ink">
          Problems
        </a>{' '}
        <span aria-hidden="true" className="px-1">
          /
        </span>{' '}
        <Key>{code}</Key>
      </p>
      <h1 className="mt-2 text-h1">{problem.title}</h1>
      <p className="mt-3 text-body text-ink-2">{problem.meaning}</p>
      <h2 className="mt-10 text-h2">What to do next</h2>
      <p className="mt-2 text-body">{problem.next}</p>
      <dl className="facts mt-10 border-t border-ink">
        <dt>Code</dt>
        <dd>
          <Key>{code}</Key>
        </dd>
        <dt>HTTP status</dt>
        <dd>{problem.status}</dd>
        <dt>Same request again</dt>
        <dd>
          {problem.retryable
            ? 'May succeed later with the same idempotency key; see retryable in the answer'
            : 'Gets the same answer'}
        </dd>
        <dt>Answered by</dt>
        <dd>
          <Answerers code={code} />
        </dd>
      </dl>
      <div className="mt-10">
        <CodeBlock name="application/problem+json" code={exampleOf(code)} />
      </div>
    </div>
  );
});
