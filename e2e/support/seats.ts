import type { Browser, BrowserContext, Page } from 'playwright';
import { type Role, roles } from '../../server/console/roles.ts';
import { grantRole } from '../../server/identity/operators.ts';
import { makeSignInLink } from '../../server/identity/sign-in.ts';
import type { Database } from '../../server/kernel/database.ts';
import { transact } from '../../server/kernel/transaction.ts';

type Seat = Role | 'nobody';

/** A browser without script for each role, and one for a member without any, all signed in at the console. */
export interface Seats {
  pageOf(role: Seat): Promise<Page>;
  /** The same after signing in anew: money is moved by who has just done so. */
  freshPageOf(role: Seat): Promise<Page>;
  cookieOf(role: Seat): Promise<string>;
  /** The seat itself, whose cookies a browser with script can take. */
  of(role: Seat): BrowserContext;
}

/** Signs an operator of each role in, as members of the account. */
export async function seatsAt(
  browser: Browser,
  db: Database,
  { baseUrl, accountKey }: { baseUrl: string; accountKey: string },
): Promise<Seats> {
  const seats = new Map<Seat, BrowserContext>();
  const take = async (role: Seat): Promise<void> => {
    const email = `${role}@example.com`;
    if (role !== 'nobody') await transact(db, (tx) => grantRole(tx, email, role, new Date()));
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(await makeSignInLink(db, baseUrl, { accountKey, email }, new Date()));
    await page.getByRole('button', { name: /sign in/i }).click();
    // A page that is closed while it still leads on may never be closed.
    await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
    await page.close();
    seats.set(role, context);
  };
  for (const role of [...roles, 'nobody'] as const) await take(role);
  const of = (role: Seat): BrowserContext => {
    const seat = seats.get(role);
    if (!seat) throw new Error(`nobody is ${role}`);
    return seat;
  };
  return {
    of,
    pageOf: (role) => of(role).newPage(),
    async freshPageOf(role) {
      await of(role).close();
      await take(role);
      return of(role).newPage();
    },
    cookieOf: async (role) => (await of(role).cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
  };
}
