import { rest } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export const DELETE = rest('remove_webhook_endpoint');
