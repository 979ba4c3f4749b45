import { answerTrpc } from '@/server/transports/trpc.ts';

const answer = (request: Request) => answerTrpc(request);

export const GET = answer;
export const POST = answer;
