import type { IncomingMessage } from 'node:http';
import { authenticate } from '../identity/authenticate.ts';
import type { Runtime } from '../runtime.ts';
import { pageContext } from './context.ts';
import { sessionIn } from './member-session.ts';
import { clientAddress } from './plain.ts';
import { decoded } from './routes.ts';

/** The console's pages, and Next's variants of their addresses: `.rsc`, `.segments/…`. */
const consoleAddress = /^\/console(?:[/.]|$)/i;
/** An address without a page. */
const nowhere = '/nothing-here';

/**
 * Sends visitors without a role from the console to an address without a page, before Next: it streams its status
 * before the page can say 404. The pages check again.
 */
export async function hideConsole(runtime: Runtime, req: IncomingMessage): Promise<void> {
  const [path = '', query] = (req.url ?? '/').split(/\?(.*)/s, 2);
  if (!consoleAddress.test(decoded(path))) return;
  if (!(await isOperator(runtime, req))) req.url = query === undefined ? nowhere : `${nowhere}?${query}`;
}

async function isOperator(runtime: Runtime, req: IncomingMessage): Promise<boolean> {
  const session = await sessionIn(runtime.configuration, req.headers.cookie ?? null);
  if (session === null) return false;
  const ctx = pageContext(
    runtime,
    session.sessionKey,
    clientAddress(req, runtime.configuration.trustedProxies) ?? null,
  );
  const found = authenticate(ctx, { asOperator: true, limit: undefined, key: null });
  // If the database is down or the limit reached, let the page say so; it shows nothing else.
  return found.then(
    ({ caller }) => caller.kind === 'operator',
    () => true,
  );
}
