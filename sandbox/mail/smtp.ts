// The SMTP server: takes any letter for anybody, reads it, keeps it, sends nothing on.
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { FaultQueue } from '../fault-queue.ts';
import { BRAND, portTaken } from '../http.ts';
import type { MailFault } from './faults.ts';
import type { Mailbox } from './mailbox.ts';

const LETTER_BYTES_MAX = 1_048_576;
const CLIENTS_MAX = 200;
const CLOSE_MS_MAX = 500;

/** Starts the server on a loopback port. Rejects with a sentence when the port is taken. */
export function startSmtp(
  port: number,
  mailbox: Mailbox,
  faults: FaultQueue<MailFault>,
): Promise<{ stop(): Promise<void> }> {
  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (stream.sizeExceeded) throw smtpError(552, `A letter may hold ${LETTER_BYTES_MAX} bytes.`);
    const fault = faults.take(({ mode }) => mode !== 'refuse');
    if (fault?.mode === 'drop') throw new ConnectionDropped();
    const letter = await PostalMime.parse(Buffer.concat(chunks));
    mailbox.keep({
      to: session.envelope.rcptTo.map(({ address }) => address),
      from: letter.from?.address ?? '',
      subject: letter.subject ?? '',
      text: letter.text ?? '',
      html: letter.html ?? '',
      received_at: new Date().toISOString(),
    });
    if (fault?.mode === 'drop_after_keep') throw new ConnectionDropped();
    if (fault?.mode === 'slow') await sleep(fault.ms);
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    banner: BRAND,
    size: LETTER_BYTES_MAX,
    maxClients: CLIENTS_MAX,
    closeTimeout: CLOSE_MS_MAX,
    onRcptTo(_address, _session, done) {
      const fault = faults.take(({ mode }) => mode === 'refuse');
      done(fault ? smtpError(fault.code, 'The recipient is refused, as the sandbox was told to.') : null);
    },
    onData(stream, session, done) {
      receive(stream, session).then(
        () => done(),
        (error) => {
          if (error instanceof ConnectionDropped) breakConnection(server, session);
          else done(error);
        },
      );
    },
  });
  server.on('error', () => {});
  return new Promise((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(portTaken('mail server', port)) : error);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve({ stop: () => new Promise((stopped) => server.close(() => stopped())) });
    });
  });
}

class ConnectionDropped extends Error {}

function breakConnection(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections as Set<{ session: SMTPServerSession; close(): void }>) {
    if (connection.session.id === session.id) connection.close();
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
