import { limitsOf } from '../../identity/grant.ts';
import { buysAlone, hasRoom } from '../../identity/limits.ts';
import { utcDay } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { statement } from '../../kernel/sql.ts';
import type { Loader } from '../../operation/verb.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { price } from '../../service/terms.ts';

/** Unpaid content kept so far. */
export interface Room {
  is_left: boolean;
  /** Whether the grant asks nobody about a check. */
  buys_alone: boolean;
  of_principal: number;
  of_origin: number;
}

/** The key holds the day and the block of addresses. */
const roomOfWho = `
      select ${hasRoom('who', `${price}::bigint`, "split_part($key, ' ', 1)")} as is_left,
        ${buysAlone('who', `${price}::bigint`, "split_part($key, ' ', 1)")} as buys_alone,
        ${keptContent('principal_key', 'who.principal_key')} as of_principal,
        ${keptContent('origin', "split_part($key, ' ', 2)")} as of_origin`;

/**
 * Loads with the buyer whether its grant leaves room, and how much unpaid content is kept for it and its block of
 * addresses.
 */
export const roomWithBuyer: Loader<'room', Room> = {
  name: 'room',
  about: ({ now, origin }) => ({
    select: roomOfWho,
    key: `${utcDay(now)} ${origin}`,
  }),
  unpack: (found) => found as Room,
  absent() {
    throw new Error('the room of a grant is read with every buyer');
  },
};

/** The same for a buyer who has not signed in. */
export async function roomOf(
  db: Queries,
  principalKey: string,
  { now, origin }: Pick<Context, 'now' | 'origin'>,
): Promise<Room> {
  const text = `
    select to_json(room) as room from (${limitsOf('$1')}) who, lateral (${roomOfWho.replaceAll('$key', '$2')}) room`;
  const { room } = await db.one<{ room: Room }>(statement(text, [principalKey, `${utcDay(now)} ${origin}`]));
  return room;
}

function keptContent(column: 'principal_key' | 'origin', value: string): string {
  return `(select coalesce(sum(bytes), 0) from unpaid_content where unpaid_content.${column} = ${value})`;
}

/**
 * The refusal of too much unpaid content (specification 5.3); else null. Concurrent requests do not see each other, so
 * together they may pass the limit.
 */
export function contentRefusal({ of_principal, of_origin }: Room, bytes: number, { runtime }: Context): Problem | null {
  const { principalBytes, originBytes } = runtime.configuration.unpaidContent;
  if (of_principal + bytes <= principalBytes && of_origin + bytes <= originBytes) return null;
  const detail =
    of_principal + bytes > principalBytes
      ? `Your unpaid quotes would hold more than ${principalBytes} bytes of content.`
      : `Unpaid quotes from your network block would hold more than ${originBytes} bytes of content.`;
  return new Problem('rate_limited', `${detail} Content is deleted within a minute after its quote expires.`, {
    headers: { 'Retry-After': '60' },
  });
}
