import type { Browser, BrowserContext, Page } from 'playwright';
import { grantRole } from '../../server/identity/operators.ts';
import { makeSignInLink } from '../../server/identity/sign-in.ts';
import type { Database } from '../../server/kernel/database.ts';
import { transact } from '../../server/kernel/transaction.ts';
import { type Role, roles } from '../../server/operation/operator-roles.ts';

type Seat = Role | 'nobody';

/** A browser without scripts for each role, and one for a member without a role, all signed in to the console. */
export interface Seats {
  pageOf(role: Seat): Promise<Page>;
  /** The same after signing in again: moving money needs a fresh sign-in. */
  freshPageOf(role: Seat): Promise<Page>;
  cookieOf(role: Seat): Promise<string>;
  /** The seat's browser, whose cookies a browser with scripts can use. */
  of(role: Seat): BrowserContext;
}

/** Signs in an operator of each role, as members of the account. */
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
    // Closing a page during a navigation may hang forever.
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
