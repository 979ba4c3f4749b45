/** Pages of members that a sign-in may lead to, and where an OAuth client sends them. */
const pages =
  /^\/(?:account|agents|approvals|connect|console|oauth\/authorize|oauth\/consent|pay|purchases|receipts|reports|sources)(?:\/\w[\w.-]*)*$/;
/** Those that are of use to the owner of a wallet. */
const pagesOfWallets = /^\/(?:purchases|receipts|reports)(?:$|[/?])/;
/** Longer than any form of ours sends. */
const maxLength = 2_000;

/** The default destination. */
export const firstPage = '/agents';
/** The same for the owner of a wallet, who has no agents. */
const firstPageOfWallets = '/purchases';

/**
 * The page of ours that a text names, with its query; else null. Links may carry any text, and must lead only to
 * members' pages.
 */
export function ownPage(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxLength || !/^\/(?![/\\])/.test(text)) return null;
  const here = 'http://here.invalid';
  if (!URL.canParse(text, here)) return null;
  const { origin, pathname, search } = new URL(text, here);
  return origin === here && pages.test(pathname) && text.startsWith(pathname) ? pathname + search : null;
}

/** The same for the owner of a wallet. */
export function walletPage(text: unknown): string {
  const page = ownPage(text);
  return page !== null && pagesOfWallets.test(page) ? page : firstPageOfWallets;
}
