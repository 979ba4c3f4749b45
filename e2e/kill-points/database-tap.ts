import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Where to stop a process that speaks to PostgreSQL, given by part of a statement's text: before the statement is sent,
 * before its transaction commits, or after the commit but before the process hears of it. `saying` limits the first to
 * a statement with this value.
 */
export type StoppingPoint = { before: RegExp; saying?: string } | { beforeCommitOf: RegExp } | { after: RegExp };

/** A proxy before a database that can stop at one point. */
export interface DatabaseTap {
  /** The address for the process to stop. */
  readonly url: string;
  /**
   * Arms the stop; resolves once a connection has reached the point. After that the process cannot reach its database.
   */
  stopAt(point: StoppingPoint): Promise<void>;
  close(): Promise<void>;
}

/** What one connection has sent so far. */
interface Conversation {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes of an incomplete message. */
  pending: Buffer;
  isStarted: boolean;
  readonly prepared: Map<string, string>;
  inTransaction: boolean;
  /** The statements of the transaction, or the last one outside a transaction. */
  statements: string[];
  /**
   * `finishing`: the database finishes the last message, but its answer is dropped. `cut`: another connection reached
   * the point.
   */
  stopped: 'no' | 'sending' | 'finishing' | 'hearing' | 'cut';
}

const newConversation = (client: Socket, server: Socket, isCut: boolean): Conversation => ({
  client,
  server,
  pending: Buffer.alloc(0),
  isStarted: false,
  prepared: new Map(),
  inTransaction: false,
  statements: [],
  stopped: isCut ? 'cut' : 'no',
});

/** Opens a proxy before the database at `url`. Understands as much of the wire protocol, version 3, as it must. */
export async function tapDatabase(url: string): Promise<DatabaseTap> {
  const { hostname, port } = new URL(url);
  const conversations = new Set<Conversation>();
  let stop: { point: StoppingPoint; reached: () => void } | null = null;
  let isCut = false;

  /** Stops all connections for good; this one at once, or when the database has finished the last message. */
  const halt = (conversation: Conversation, how: 'sending' | 'finishing' | 'hearing'): void => {
    for (const other of conversations) other.stopped = 'cut';
    conversation.stopped = how;
    const { reached } = stop ?? {};
    stop = null;
    isCut = true;
    if (how === 'sending') reached?.();
    conversation.server.on('data', (bytes) => {
      if (bytes.subarray(-readyAndIdle.length).equals(readyAndIdle)) reached?.();
    });
  };

  /** Passes a message to the database, unless a stop comes first. */
  const pass = (conversation: Conversation, message: Buffer): void => {
    const { server } = conversation;
    if (conversation.stopped === 'finishing') {
      server.write(message);
      if (kindOf(message) === 'S') conversation.stopped = 'hearing';
    }
    if (conversation.stopped !== 'no') return;
    const text = statementIn(conversation, message);
    const point = text === null ? undefined : stop?.point;
    if (point && text !== null && stopsBefore(point, conversation, text, message)) {
      halt(conversation, 'sending');
      return;
    }
    server.write(message);
    if (text === null) return;
    note(conversation, text);
    // The messages up to the next Sync execute a prepared statement.
    if (point && stopsAfter(point, conversation, text)) {
      halt(conversation, kindOf(message) === 'Q' ? 'hearing' : 'finishing');
    }
    if (!conversation.inTransaction) conversation.statements = [];
  };

  const tap = createServer((client) => {
    const server = connect(Number(port), hostname);
    const conversation = newConversation(client, server, isCut);
    conversations.add(conversation);
    client.on('data', (bytes) => {
      conversation.pending = Buffer.concat([conversation.pending, bytes]);
      for (const message of messagesOf(conversation)) pass(conversation, message);
    });
    server.on('data', (bytes) => {
      if (conversation.stopped === 'no' || conversation.stopped === 'sending') client.write(bytes);
    });
    endTogether(client, server, () => conversations.delete(conversation));
  });
  await new Promise<void>((resolve) => tap.listen(0, '127.0.0.1', resolve));
  return {
    url: addressOf(tap, url),
    stopAt: (point) =>
      new Promise((resolve) => {
        stop = { point, reached: resolve };
      }),
    close: () =>
      new Promise((resolve) => {
        tap.close(() => resolve());
        for (const { client, server } of conversations) for (const socket of [client, server]) socket.destroy();
      }),
  };
}

function endTogether(client: Socket, server: Socket, ended: () => void): void {
  const end = (): void => {
    client.destroy();
    server.destroy();
    ended();
  };
  for (const socket of [client, server]) socket.on('close', end).on('error', end);
}

/** The URL with the proxy's port. */
function addressOf(server: Server, url: string): string {
  const address = server.address();
  const tapped = new URL(url);
  tapped.port = String(typeof address === 'object' && address ? address.port : '');
  return tapped.href;
}

const SSL_REQUEST = 80_877_103;
/** ReadyForQuery outside a transaction. */
const readyAndIdle = Buffer.from('Z\0\0\0\x05I', 'latin1');

const kindOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

/** Splits off the complete messages. The first has no type; a TLS request precedes it. */
function* messagesOf(conversation: Conversation): Generator<Buffer> {
  for (;;) {
    const { pending, isStarted } = conversation;
    const lengthAt = isStarted ? 1 : 0;
    if (pending.length < lengthAt + 4) return;
    const end = lengthAt + pending.readInt32BE(lengthAt);
    if (pending.length < end) return;
    if (!isStarted && pending.readInt32BE(4) !== SSL_REQUEST) conversation.isStarted = true;
    conversation.pending = pending.subarray(end);
    yield pending.subarray(0, end);
  }
}

/** The SQL text that this message executes; null for other messages. */
function statementIn({ prepared }: Conversation, message: Buffer): string | null {
  const kind = kindOf(message);
  const fields = message.subarray(5).toString('latin1').split('\0');
  if (kind === 'Q') return message.subarray(5, -1).toString();
  if (kind === 'P') prepared.set(fields[0] ?? '', fields[1] ?? '');
  // The portal's name comes first, then the statement's.
  return kind === 'B' ? (prepared.get(fields[1] ?? '') ?? '') : null;
}

const opens = /^\s*begin/i;
/** A transaction sent as one message, as the queue does for housekeeping: it ends with its answer. */
const isWhole = /^\s*begin\b.*\bcommit\s*;?\s*$/is;
const ends = /^\s*(commit|rollback)/i;
const commits = /^\s*commit/i;

function note(conversation: Conversation, text: string): void {
  if (isWhole.test(text)) conversation.statements.push(text);
  else if (opens.test(text)) Object.assign(conversation, { inTransaction: true, statements: [] });
  else if (ends.test(text)) conversation.inTransaction = false;
  else conversation.statements.push(text);
}

function stopsBefore(point: StoppingPoint, { statements }: Conversation, text: string, message: Buffer): boolean {
  if ('before' in point) return point.before.test(text) && (!point.saying || message.includes(point.saying));
  return 'beforeCommitOf' in point && commits.test(text) && statements.some((one) => point.beforeCommitOf.test(one));
}

function stopsAfter(point: StoppingPoint, { inTransaction, statements }: Conversation, text: string): boolean {
  if (!('after' in point) || inTransaction) return false;
  return (commits.test(text) || statements.length === 1) && statements.some((one) => point.after.test(one));
}
