/** A message from a form to the next page, shown once. */
export interface Notice {
  /** Its page, without the query. */
  path: string;
  code: string;
  /** What only that page shows, and nobody again. */
  secret?: string;
}

/** A cookie set only by form answers. */
export const noticeCookie = 'work-check-notice';
/** The header for the page; overwrites any that a client sent. */
export const noticeHeader = 'x-page-notice';

/** Long enough for the redirect, too short for a later visit. */
const lifetimeSeconds = 60;

/** The `Set-Cookie` of a notice for the page at this address. A secret goes over TLS only, wherever the service has it. */
export function setNotice(address: string, code: string, secret?: string, baseUrl = ''): string {
  const [path = ''] = address.split(/[?#]/, 1);
  const value = encodeURIComponent(JSON.stringify({ path, code, ...(secret ? { secret } : {}) } satisfies Notice));
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${noticeCookie}=${value}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The notice in a cookie's value; null for what is none. */
export function noticeIn(value: string | null | undefined): Notice | null {
  try {
    const { path, code, secret } = JSON.parse(decodeURIComponent(value ?? ''));
    if (typeof path !== 'string' || typeof code !== 'string') return null;
    return { path, code, ...(typeof secret === 'string' ? { secret } : {}) };
  } catch {
    return null;
  }
}
