import { rest } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export const GET = rest('incidents');
