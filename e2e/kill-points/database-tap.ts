import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Where a process that speaks to PostgreSQL is stopped, by a part of the text of one of its statements: before the
 * statement leaves, before the transaction that it is part of is committed, or after that is done and before the
 * process hears of it. `saying` narrows the first to a statement that is sent with this value.
 */
export type StoppingPoint = { before: RegExp; saying?: string } | { beforeCommitOf: RegExp } | { after: RegExp };

/** A door to a database that can be held shut at one point. */
export interface DatabaseTap {
  /** The address for the process that is to be stopped. */
  readonly url: string;
  /** From now on; resolves when a connection has come to the point. The process reaches its database no more then. */
  stopAt(point: StoppingPoint): Promise<void>;
  close(): Promise<void>;
}

/** What one connection has sent so far, as far as it matters. */
interface Conversation {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes of a message that has not arrived whole. */
  pending: Buffer;
  isStarted: boolean;
  readonly prepared: Map<string, string>;
  inTransaction: boolean;
  /** The statements of the transaction, or the last one outside of any. */
  statements: string[];
  /** `finishing` what it sent last: then it hears no more. `cut` off because another one came to the point. */
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

/** Opens a door in front of the database at `url`. Speaks as much of the wire protocol, version 3, as it must read. */
export async function tapDatabase(url: string): Promise<DatabaseTap> {
  const { hostname, port } = new URL(url);
  const conversations = new Set<Conversation>();
  let stop: { point: StoppingPoint; reached: () => void } | null = null;
  let isCut = false;

  /** Stops all conversations for good, this one at once or when the database has done what was sent last. */
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

  /** Hands a message on to the database, unless a stop comes before it. */
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
    // The messages up to the next Sync carry a prepared statement out.
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

/** The URL with the port that the server listens on. */
function addressOf(server: Server, url: string): string {
  const address = server.address();
  const tapped = new URL(url);
  tapped.port = String(typeof address === 'object' && address ? address.port : '');
  return tapped.href;
}

const SSL_REQUEST = 80_877_103;
/** ReadyForQuery, outside of a transaction. */
const readyAndIdle = Buffer.from('Z\0\0\0\x05I', 'latin1');

const kindOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0);

/** Takes the whole messages off what has arrived. The first has no type; a request for TLS comes before it. */
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

/** The text that this message has the database carry out; null when it is another kind of message. */
function statementIn({ prepared }: Conversation, message: Buffer): string | null {
  const kind = kindOf(message);
  const fields = message.subarray(5).toString('latin1').split('\0');
  if (kind === 'Q') return message.subarray(5, -1).toString();
  if (kind === 'P') prepared.set(fields[0] ?? '', fields[1] ?? '');
  // The portal's name comes first, then that of the statement.
  return kind === 'B' ? (prepared.get(fields[1] ?? '') ?? '') : null;
}

const opens = /^\s*begin/i;
/** A transaction that is sent whole, as the queue does for its housekeeping: it is over when it is answered. */
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
