import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorFields, log } from '../kernel/log.ts';

/** Pipelined requests that may wait on a connection. Hardly any client sends a second. */
const waitingMax = 16;
/** Limit from a request's turn until its answer is taken. A reader that waits for a change waits 25 seconds. */
const answerMs = 60_000;

interface Turns {
  isBusy: boolean;
  waiting: (() => void)[];
}

const turnsOf = new WeakMap<Socket, Turns>();

/**
 * Handles a connection's requests one at a time. Node starts all requests of a packet at once, which may be hundreds,
 * although answers leave in order. Ends a connection with too many waiting, or whose answer is not taken in time.
 */
export function inTurn(req: IncomingMessage, res: ServerResponse, handle: () => Promise<unknown>): void {
  const { socket } = req;
  const turns = turnsOf.get(socket) ?? { isBusy: false, waiting: [] };
  turnsOf.set(socket, turns);
  const begin = () => {
    if (socket.destroyed) return;
    turns.isBusy = true;
    const patience = setTimeout(() => socket.destroy(), answerMs);
    res.once('close', () => {
      clearTimeout(patience);
      turns.isBusy = false;
      turns.waiting.shift()?.();
    });
    handle().catch((error) => {
      log('request_failed', errorFields(error));
      res.destroy();
    });
  };
  if (!turns.isBusy) begin();
  else if (turns.waiting.length < waitingMax) turns.waiting.push(begin);
  else socket.destroy();
}
