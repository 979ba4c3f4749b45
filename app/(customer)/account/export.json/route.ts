import { setTimeout as sleep } from 'node:timers/promises';
import type { perform } from '@/server/door/perform.ts';
import type { OperationName } from '@/server/operations.ts';
import type { Context } from '@/server/runtime.ts';
import { memberContext } from '../../member.ts';
import { countedReads } from '../../read.ts';

/** What is there once, by the name that the file gives it. */
const parts = {
  you: 'member',
  people: 'people',
  receipts_name: 'billing',
  agents: 'agents',
  cards: 'saved_cards',
  sources: 'sources',
  webhooks: 'webhook_endpoints',
} as const satisfies Record<string, OperationName>;

/** What comes page by page. */
const lists = { purchases: 'bought', receipts: 'receipts', credit: 'credit' } as const;

/** Entries read at once. */
const pageEntries = 100;
/** After a page that the archive cut short: their many must stay below what a member may ask in a minute. */
const archivedPauseMs = 150;

/** The entries of a page, whichever list it is of. */
function entriesOf(body: { receipts: unknown[] } | { purchases: unknown[] } | { changes: unknown[] }): unknown[] {
  if ('receipts' in body) return body.receipts;
  return 'changes' in body ? body.changes : body.purchases;
}

/** Everything kept about the account, as one JSON object, read while it is sent. */
async function* exported(ctx: Context, read: typeof perform): AsyncGenerator<string> {
  yield `{\n"exported_at": ${JSON.stringify(ctx.now)}`;
  for (const [name, operation] of Object.entries(parts)) {
    const { body } = await read(operation, ctx, {});
    yield `,\n"${name}": ${JSON.stringify(body)}`;
  }
  for (const [name, operation] of Object.entries(lists)) {
    yield `,\n"${name}": [`;
    let separator = '\n';
    for (let after: string | null | undefined; after !== null; ) {
      const { body } = await read(operation, ctx, { limit: pageEntries, ...(after === undefined ? {} : { after }) });
      const entries = entriesOf(body);
      for (const entry of entries) {
        yield `${separator}${JSON.stringify(entry)}`;
        separator = ',\n';
      }
      after = body.next_after;
      if (after !== null && entries.length < pageEntries) await sleep(archivedPauseMs);
    }
    yield '\n]';
  }
  yield '\n}\n';
}

/** The account's people, agents, limits, cards, sources, webhooks, purchases and signed receipts. Members only. */
export async function GET(): Promise<Response> {
  const { ctx, email } = await memberContext();
  if (email === null) return new Response('Sign in first.\n', { status: 401 });
  const text = exported(ctx, await countedReads());
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await text.next();
      if (done) controller.close();
      else controller.enqueue(bytes.encode(value));
    },
    async cancel() {
      await text.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="work-check-account.json"',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}
