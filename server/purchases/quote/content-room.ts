import { limitsOf } from '../../identity/grant.ts';
import { buysAlone, hasRoom } from '../../identity/limits.ts';
import { utcDay } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { statement } from '../../kernel/sql.ts';
import { Problem } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { price } from '../../service/terms.ts';

/** Unpaid content kept so far. */
export interface Room {
  is_left: boolean;
  /** Whether the grant asks nobody about a check. */
  buys_alone: boolean;
  of_principal: bigint;
  of_origin: bigint;
}

const roomLeft = `
    select ${hasRoom('who', `${price}::bigint`, '$2')} as is_left,
      ${buysAlone('who', `${price}::bigint`, '$2')} as buys_alone,
      ${keptContent('principal_key', 'who.principal_key')} as of_principal,
      ${keptContent('origin', '$3')} as of_origin
    from (${limitsOf('$1')}) who`;

/** Whether a buyer's grant leaves room, and how much unpaid content is kept for it and its block of addresses. */
export function roomOf(
  db: Queries,
  principalKey: string,
  { now, origin }: Pick<Context, 'now' | 'origin'>,
): Promise<Room> {
  return db.one<Room>(statement(roomLeft, [principalKey, utcDay(now), origin]));
}

function keptContent(column: 'principal_key' | 'origin', value: string): string {
  return `(select coalesce(sum(bytes), 0)::bigint from unpaid_content where unpaid_content.${column} = ${value})`;
}

/**
 * The refusal of too much unpaid content (specification 5.3); else null. Concurrent requests do not see each other, so
 * together they may pass the limit.
 */
export function contentRefusal({ of_principal, of_origin }: Room, bytes: number, { runtime }: Context): Problem | null {
  const added = BigInt(bytes);
  const { principalBytes, originBytes } = runtime.configuration.unpaidContent;
  if (of_principal + added <= principalBytes && of_origin + added <= originBytes) return null;
  const detail =
    of_principal + added > principalBytes
      ? `Your unpaid quotes would hold more than ${principalBytes} bytes of content.`
      : `Unpaid quotes from your network block would hold more than ${originBytes} bytes of content.`;
  return new Problem('rate_limited', `${detail} Content is deleted within a minute after its quote expires.`, {
    headers: { 'Retry-After': '60' },
  });
}
