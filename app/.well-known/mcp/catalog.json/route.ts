import { document } from '@/server/transports/documents.ts';

export const dynamic = 'force-dynamic';
export const GET = document;
