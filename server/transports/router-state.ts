import type { IncomingHttpHeaders } from 'node:http';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { Problem } from '../problems/problem.ts';

/** Why Next cannot take these headers (it answers 500 to an unreadable router state); null when it can. */
export function routerStateFault({ 'next-router-state-tree': state }: IncomingHttpHeaders): Problem | null {
  try {
    parseAndValidateFlightRouterState(state);
    return null;
  } catch {
    return new Problem('malformed_request', 'The header Next-Router-State-Tree cannot be read.');
  }
}
