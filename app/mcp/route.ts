import { mcp } from '@/server/transports/mcp.ts';

export const dynamic = 'force-dynamic';
export { mcp as DELETE, mcp as GET, mcp as POST };
