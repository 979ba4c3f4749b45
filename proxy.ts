import { type NextRequest, NextResponse } from 'next/server';
import { noticeCookie, noticeHeader } from './server/transports/notice.ts';
import { formsLeadTo, pagePolicy } from './server/transports/security-headers.ts';

const POLICY = 'Content-Security-Policy';
const NONCE_BYTES = 16;

/** Gives every page a policy with a nonce of its own. Next reads the nonce from the policy on the request. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString('base64');
  const forms = formsLeadTo(request.nextUrl.pathname, process.env);
  const policy = pagePolicy(nonce, process.env.NODE_ENV === 'development', forms);
  const headers = new Headers(request.headers);
  // Set, not added: what a client sends under this name never reaches the page.
  headers.set(POLICY, policy);
  headers.delete(noticeHeader);
  const notice = isLookedAt(request) ? request.cookies.get(noticeCookie)?.value : undefined;
  if (notice) headers.set(noticeHeader, encodeURIComponent(notice));
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(POLICY, policy);
  // Told once.
  if (notice) response.cookies.set(noticeCookie, '', { maxAge: 0, path: '/' });
  return response;
}

/** Whether somebody is about to see the page: not what Next fetches ahead of that. */
function isLookedAt({ method, headers }: NextRequest): boolean {
  return method === 'GET' && !headers.has('next-router-prefetch');
}

export const config = {
  // Everything but the doors of agents, which answer data, and files.
  matcher:
    '/((?!api/|mcp(?:/|$)|_next/static/|verify/|\\.well-known/|openapi\\.json$|llms\\.txt$|status\\.(?:json|atom)$|robots\\.txt$|icon\\.svg$).*)',
};
