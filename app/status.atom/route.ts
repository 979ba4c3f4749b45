import { statusFeed } from '@/server/transports/status-feed.ts';

export const dynamic = 'force-dynamic';
export const GET = statusFeed;
