/** A message from a form to the next page, shown once. */
export interface Notice {
  /** Its page, without the query. */
  path: string;
  code: string;
}

/** A cookie set only by form answers. */
export const noticeCookie = 'work-check-notice';
/** The header for the page; overwrites any that a client sent. */
export const noticeHeader = 'x-page-notice';

/** Long enough for the redirect, too short for a later visit. */
const lifetimeSeconds = 60;

/** The `Set-Cookie` of a notice for the page at this address. */
export function setNotice(address: string, code: string): string {
  const [path = ''] = address.split(/[?#]/, 1);
  const value = encodeURIComponent(JSON.stringify({ path, code } satisfies Notice));
  return `${noticeCookie}=${value}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Strict`;
}

/** The notice in a cookie's value; null for what is none. */
export function noticeIn(value: string | null | undefined): Notice | null {
  try {
    const { path, code } = JSON.parse(decodeURIComponent(value ?? ''));
    return typeof path === 'string' && typeof code === 'string' ? { path, code } : null;
  } catch {
    return null;
  }
}
