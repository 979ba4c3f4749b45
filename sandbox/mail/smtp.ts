// The SMTP server: accepts and keeps any letter, and forwards none.
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { FaultQueue } from '../fault-queue.ts';
import { BRAND, portTaken } from '../http.ts';
import type { MailFault } from './faults.ts';
import type { Mailbox } from './mailbox.ts';

const LETTER_BYTES_MAX = 1_048_576;
const CLIENTS_MAX = 200;
const CLOSE_MS = 100;

/** Starts the server on a loopback port; `stop` closes it. Rejects with a sentence when the port is taken. */
export function startSmtp(
  port: number,
  mailbox: Mailbox,
  faults: FaultQueue<MailFault>,
): Promise<{ stop(): Promise<void> }> {
  const server = new SMTPServer({
    name: 'sandbox.localhost',
    banner: BRAND,
    size: LETTER_BYTES_MAX,
    maxClients: CLIENTS_MAX,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    logger: false,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_address, _session, callback) {
      const fault = faults.take(({ mode }) => mode === 'refuse');
      callback(fault ? refusal(fault.code, `${BRAND} refuses this letter as it was told to.`) : null);
    },
    onData(stream, session, callback) {
      receive(stream, session).then(
        (reply) => callback(null, reply),
        (error) => callback(error),
      );
    },
  });

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (stream.sizeExceeded) throw refusal(552, `A letter may hold ${LETTER_BYTES_MAX} bytes.`);
    const fault = faults.take(({ mode }) => mode !== 'refuse');
    if (fault?.mode === 'drop') breakConnection(session);
    else mailbox.keep(await readLetter(Buffer.concat(chunks), session));
    if (fault?.mode === 'drop_after_keep') breakConnection(session);
    if (fault?.mode === 'slow') await sleep(fault.ms);
    return `${BRAND} keeps it`;
  }

  function breakConnection({ id }: SMTPServerSession) {
    for (const connection of server.connections) {
      if (connection.id === id) connection._socket.destroy();
    }
  }

  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(portTaken('mail server', port)) : error);
    });
    server.listen(port, '127.0.0.1', () => {
      // Ignore clients that break off.
      server.on('error', () => {});
      resolve({ stop: () => new Promise((stopped) => server.close(() => stopped())) });
    });
  });
}

async function readLetter(raw: Buffer, { envelope }: SMTPServerSession) {
  const letter = await PostalMime.parse(raw);
  return {
    to: envelope.rcptTo.map(({ address }) => address),
    from: letter.from?.address ?? '',
    subject: letter.subject ?? '',
    text: letter.text ?? '',
    html: letter.html ?? '',
    received_at: new Date().toISOString(),
  };
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
