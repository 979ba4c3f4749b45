import { createTransport } from 'nodemailer';
import type { MailConfiguration } from '../configuration.ts';
import { counted } from '../kernel/metrics.ts';
import { openProbe, probeMs } from '../kernel/probe.ts';
import { traced } from '../kernel/trace.ts';
import type { Mailer } from '../runtime.ts';

/** Time-out of a silent mail server. */
const silenceMs = 10_000;

/** Never read files or URLs into a letter. */
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
        counted('mail', transport.sendMail({ from, to: { name: '', address: to }, ...letter, ...nothingElse })),
      );
    },
    wasReachable: (now) => probe.wasUp(now),
    close: () => {
      transport.close();
      visitor.close();
    },
  };
}
