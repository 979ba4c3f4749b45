// The control port's routes to the bucket.
import { z } from 'zod';
import type { FaultQueue } from '../fault-queue.ts';
import { BRAND, Refusal, type Routes, readBody } from '../http.ts';
import { type ArchiveFault, archiveFaultSchema } from './faults.ts';
import type { Objects } from './server.ts';

const named = z.strictObject({ key: z.string().min(1) });

/** The control port's routes to the objects of the archive and its faults. */
export function archiveRoutes(objects: Objects, faults: FaultQueue<ArchiveFault>): Routes {
  const state = () => ({ json: { sandbox: BRAND, faults: faults.list() } });
  return {
    'GET /archive': () => ({ json: { keys: objects.list() } }),
    'POST /archive/remove': (call) => {
      if (!objects.remove(readBody(named, call).key)) throw new Refusal(404, 'not_found', 'There is no such object.');
      return state();
    },
    'POST /archive/faults': (call) => {
      faults.add(readBody(archiveFaultSchema, call));
      return state();
    },
    'DELETE /archive/faults': () => {
      faults.clear();
      return state();
    },
  };
}
