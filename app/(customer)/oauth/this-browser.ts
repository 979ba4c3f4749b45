import { cookies } from 'next/headers';

/** The cookie in which the authorization server keeps what a browser started. */
const cookieName = '_interaction';

/**
 * Whether this browser started the request. Anybody can send the address of a request of theirs: whoever consents there
 * would connect a stranger's client.
 */
export async function isOfThisBrowser(authorizationKey: string): Promise<boolean> {
  return (await cookies()).get(cookieName)?.value === authorizationKey;
}
