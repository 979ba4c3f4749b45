// The control port's routes to the mail.
import type { FaultQueue } from '../fault-queue.ts';
import { BRAND, type Routes, readBody } from '../http.ts';
import { type MailFault, mailFaultSchema } from './faults.ts';
import type { Mailbox } from './mailbox.ts';

/** The control port's routes to the letters and the mail faults. */
export function mailRoutes(mailbox: Mailbox, faults: FaultQueue<MailFault>): Routes {
  const state = () => ({ json: { sandbox: BRAND, faults: faults.list() } });
  return {
    'GET /mail': ({ query }) => ({ json: { messages: mailbox.list(query.get('to') ?? undefined) } }),
    'GET /mail/faults': state,
    'POST /mail/faults': (call) => {
      faults.add(readBody(mailFaultSchema, call));
      return state();
    },
    'DELETE /mail/faults': () => {
      faults.clear();
      return state();
    },
  };
}
