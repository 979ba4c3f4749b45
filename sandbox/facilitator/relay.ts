import type { Answer, Call, Routes } from '../http.ts';

/** The control port's way into the facilitator's process: its switches, and its record of settlements. */
export function relayToFacilitator(facilitatorUrl: string): { routes: Routes; restart(): Promise<void> } {
  async function relay(method: string, path: string, call?: Call): Promise<Answer> {
    const url = new URL(`/sandbox/${path}`, facilitatorUrl);
    for (const [name, value] of call?.query ?? []) url.searchParams.append(name, value);
    const body = call?.body === undefined ? {} : { body: JSON.stringify(call.body) };
    const response = await fetch(url, { method, ...body });
    return { status: response.status, json: await response.json() };
  }
  return {
    routes: {
      'GET /facilitator/faults': () => relay('GET', 'faults'),
      'POST /facilitator/faults': (call) => relay('POST', 'faults', call),
      'DELETE /facilitator/faults': () => relay('DELETE', 'faults'),
      'POST /facilitator/release': () => relay('POST', 'release'),
      'POST /facilitator/restart': () => relay('POST', 'restart'),
      'GET /facilitator/settlements': (call) => relay('GET', 'settlements', call),
    },
    restart: async () => {
      await relay('POST', 'restart');
    },
  };
}
