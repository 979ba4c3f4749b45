import { rest } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export const GET = rest('billing');
export const POST = rest('change_billing');
