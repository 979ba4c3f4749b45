import { rest } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export const GET = rest('webhook_endpoints');
export const POST = rest('add_webhook_endpoint');
