import { mcp } from '@/server/transports/mcp.ts';

export const dynamic = 'force-dynamic';
export const POST = mcp;
