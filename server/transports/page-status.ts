import { errorFields, log } from '../kernel/log.ts';

/**
 * What a page tells the server in front while it is drawn, under the request id. A Next page cannot set a status
 * without throwing, and what throws renders by script alone: so pages note their status, and the server sends it. They
 * read through here, too, by which the server counts them and knows when they are drawn.
 */
interface Drawing {
  status?: number;
  /** Characters read. */
  characters: number;
  readonly underWay: Set<Promise<unknown>>;
}

/** The header with the request id; overwrites any that a client sent. */
export const requestIdHeader = 'x-request-id';

/** Pages are bundled apart: share one map under a global symbol. */
const drawings: unique symbol = Symbol.for('work-check page drawings');
const home = globalThis as { [drawings]?: Map<string, Drawing> };
home[drawings] ??= new Map();

/** Begins the drawing of this request's page. */
export function beginDrawing(requestId: string): void {
  home[drawings]?.set(requestId, { characters: 0, underWay: new Set() });
}

/**
 * Ends it, once what it reads is read; resolves to how many characters that were. Where the reader left, Next may call
 * a page drawn that still waits for what it reads: it begins to read nothing more.
 */
export async function endDrawing(requestId: string): Promise<number> {
  const drawing = home[drawings]?.get(requestId);
  home[drawings]?.delete(requestId);
  await Promise.allSettled(drawing?.underWay ?? []);
  return drawing?.characters ?? 0;
}

/** Reads for the page of this request, and counts it. Never resolves for a page that nobody draws any more. */
export async function readFor<Read extends { text: string }>(
  requestId: string,
  read: () => Promise<Read>,
): Promise<Read> {
  const drawing = home[drawings]?.get(requestId);
  if (!drawing) return new Promise(() => {});
  const reading = read().then((found) => {
    drawing.characters += found.text.length;
    return found;
  });
  drawing.underWay.add(reading);
  return reading.finally(() => drawing.underWay.delete(reading));
}

/** Notes 404 for this request. */
export function noteMissing(requestId: string): void {
  noteStatus(requestId, 404);
}

/** Notes 503 for this request: what it needs is away for now. */
export function noteAway(requestId: string): void {
  noteStatus(requestId, 503);
}

/** Notes 500 and logs the cause; the page shows only the request id. */
export function noteBroken(requestId: string, error: unknown): void {
  log('page_failed', { request_id: requestId, ...errorFields(error) });
  noteStatus(requestId, 500);
}

function noteStatus(requestId: string, status: number): void {
  const drawing = home[drawings]?.get(requestId);
  if (drawing) drawing.status = status;
}

/** The status that the page noted. */
export function statusNoted(requestId: string): number | undefined {
  return home[drawings]?.get(requestId)?.status;
}
