import { headers } from 'next/headers';
import { type Notice, noticeHeader, noticeIn } from '@/server/transports/notice.ts';

/**
 * What a form of ours has just told this browser about the page at this path; null when nothing. No link can say it: it
 * comes from a cookie that the form's answer set, and is told once.
 */
export async function noticeAt(path: string): Promise<Notice['code'] | null> {
  const notice = noticeIn((await headers()).get(noticeHeader));
  return notice?.path === path ? notice.code : null;
}
