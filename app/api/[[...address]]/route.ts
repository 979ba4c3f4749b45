import { nothingHere } from '@/server/transports/rest.ts';

export const dynamic = 'force-dynamic';
export { nothingHere as DELETE, nothingHere as GET, nothingHere as PATCH, nothingHere as POST, nothingHere as PUT };
