import { z } from 'zod';

const count = z.coerce.number().int().min(1).max(256).default(1);

/** How processes are run and stopped. */
export const processVariables = {
  WEB_PROCESSES: count,
  WORKER_PROCESSES: count,
  STOP_DELAY_SECONDS: z.coerce.number().min(0).max(60).default(3),
};
const ProcessVariables = z.object(processVariables);

export interface Processes {
  /** How many `npm start` runs on its port, and `npm run worker` beside each other. */
  webProcesses: number;
  workerProcesses: number;
  /** How long a stopping process keeps serving, so that load balancers notice. */
  stopDelaySeconds: number;
}

export function processesOf(variables: z.infer<typeof ProcessVariables>): Processes {
  return {
    webProcesses: variables.WEB_PROCESSES,
    workerProcesses: variables.WORKER_PROCESSES,
    stopDelaySeconds: variables.STOP_DELAY_SECONDS,
  };
}
