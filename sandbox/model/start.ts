import { startModelServer } from './server.ts';

/** LOCAL SANDBOX: the model stand-in as a process of its own, on `PORT + 1015`. */
const PORT_OFFSET = 1_015;
const { url } = await startModelServer(Number(process.env.PORT ?? 3000) + PORT_OFFSET);
console.log(`LOCAL SANDBOX model: ${url}`);
