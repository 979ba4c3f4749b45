/** What a form tells the page that is shown after it, once. */
export interface Notice {
  /** The page that it is for, without its query. */
  path: string;
  code: string;
}

/** A cookie that only the answer to a form sets. */
export const noticeCookie = 'work-check-notice';
/** Where the page finds it, over whatever a client sent under this name. */
export const noticeHeader = 'x-page-notice';

/** Longer than a browser takes to ask for the page, shorter than somebody comes back to it. */
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
