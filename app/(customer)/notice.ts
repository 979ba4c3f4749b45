import { headers } from 'next/headers';
import { type Notice, noticeHeader, noticeIn } from '@/server/transports/notice.ts';

/**
 * What one of our forms just told this browser about the page at this path; null for nothing. It comes from a cookie
 * that the form's answer set, so no link can forge it, and it shows once.
 */
export async function noticeAt(path: string): Promise<Notice['code'] | null> {
  return (await saidAt(path))?.code ?? null;
}

/** The same with the secret that it may carry. */
export async function saidAt(path: string): Promise<Notice | null> {
  const notice = noticeIn((await headers()).get(noticeHeader));
  return notice?.path === path ? notice : null;
}
