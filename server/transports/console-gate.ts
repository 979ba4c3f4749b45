import type { IncomingMessage } from 'node:http';
import { authenticate } from '../identity/authenticate.ts';
import type { Runtime } from '../runtime.ts';
import { pageContext } from './context.ts';
import { sessionIn } from './member-session.ts';
import { clientAddress } from './plain.ts';
import { decoded } from './routes.ts';

/** The pages of the console, and what Next makes of their addresses: `.rsc`, `.segments/…`. */
const consoleAddress = /^\/console(?:[/.]|$)/i;
/** An address that no page has. */
const nowhere = '/nothing-here';

/**
 * Leads whoever has no role from the console to an address that no page has, ahead of Next: what Next streams has its
 * status before the page can say that there is nothing. The pages ask again by themselves.
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
  const found = authenticate(ctx, { asOperator: true, limit: undefined, key: null, about: null });
  // Without a database, and one request too many, the page says so itself, and shows nothing.
  return found.then(
    ({ caller }) => caller.kind === 'operator',
    () => true,
  );
}
