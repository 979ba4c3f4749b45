import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorFields, log } from '../kernel/log.ts';

/** Requests that a connection may have waiting behind the one that is answered. Hardly any client sends a second. */
const waitingMax = 16;
/** From the turn of a request until its answer has been taken. A reader that waits for a change waits 25 seconds. */
const answerMs = 60_000;

interface Turns {
  isBusy: boolean;
  waiting: (() => void)[];
}

const turnsOf = new WeakMap<Socket, Turns>();

/**
 * Handles the requests of a connection one after the other, in their order. Node begins with all that came in one packet
 * at once, which are hundreds; answers leave in order anyway. A connection is ended that has more than a few waiting, or
 * whose answer is not taken in time.
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
