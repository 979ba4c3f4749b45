import { after } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import type { Process } from '../rail.ts';
import { forgetHandled, heeded, keep } from './events.ts';
import type { CardProvider } from './provider.ts';

/** Overlap with the newest event seen: events are not created in the order of their times. */
const overlapSeconds = 300;
/** How often to ask for missed events, and how far back the first time. */
const everySeconds = 30;
const firstSeconds = 86_400;

/**
 * Lists what the provider announced while nobody here listened, and stores it like delivered events. A list is read to
 * its end, newest first; one that breaks off is read again.
 */
export async function catchUp({ db, clock }: Process, { stripe }: CardProvider): Promise<void> {
  const now = clock();
  const turn = await db.maybe<{ searched_to: Date }>(sql`
    insert into card_searches (list, searched_to, searched_at)
    values ('events', ${after(now, -firstSeconds)}, ${now})
    on conflict (list) do update set searched_at = excluded.searched_at
    where card_searches.searched_at <= ${after(now, -everySeconds)}
    returning searched_to`);
  if (!turn) return;
  const since = Math.floor(after(turn.searched_to, -overlapSeconds).getTime() / 1_000);
  let newest = turn.searched_to.getTime();
  let startingAfter: string | undefined;
  let hasMore = true;
  while (hasMore) {
    const { data, has_more } = await stripe.events.list({
      types: [...heeded],
      created: { gte: since },
      limit: 100,
      ...(startingAfter ? { starting_after: startingAfter } : {}),
    });
    await keep(db, data, now);
    for (const { created } of data) newest = Math.max(newest, created * 1_000);
    startingAfter = data.at(-1)?.id;
    hasMore = has_more;
  }
  await db.many(sql`update card_searches set searched_to = ${new Date(newest)} where list = 'events'`);
  await forgetHandled(db, now);
}
