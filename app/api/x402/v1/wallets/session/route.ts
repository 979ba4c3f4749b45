import { rest } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export const DELETE = rest('wallet_sign_out');
