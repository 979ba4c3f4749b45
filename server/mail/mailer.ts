import { createTransport } from 'nodemailer';
import type { MailConfiguration } from '../configuration.ts';
import { openProbe, probeMs } from '../kernel/probe.ts';
import { traced } from '../kernel/trace.ts';

/** A letter as it goes out: the same words as plain text and as HTML. */
export interface Letter {
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Resolves when the mail server has taken the letter. Rejects when it has not, or when that is not known. */
  send(to: string, letter: Letter): Promise<void>;
  /** Whether the mail server answered when it was last asked. */
  wasReachable(now: Date): Promise<boolean>;
  close(): void;
}

/** A mail server that says nothing for this long is taken for gone. */
const silenceMs = 10_000;

/** A letter is made of what it says: no file and no address is read into it. */
const nothingElse = { disableFileAccess: true, disableUrlAccess: true };

/** Sends over SMTP (RFC 5321). */
export function openMailer({ smtpUrl, from }: MailConfiguration): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
  });
  const visitor = createTransport({
    url: smtpUrl,
    connectionTimeout: probeMs,
    greetingTimeout: probeMs,
    socketTimeout: probeMs,
  });
  const probe = openProbe('mail_unreachable', () => visitor.verify());
  return {
    async send(to, letter) {
      // As an object the address is taken literally; as text it would be read as a list.
      await traced('send letter', { kind: 'client' }, () =>
        transport.sendMail({ from, to: { name: '', address: to }, ...letter, ...nothingElse }),
      );
    },
    wasReachable: (now) => probe.wasUp(now),
    close: () => {
      transport.close();
      visitor.close();
    },
  };
}
