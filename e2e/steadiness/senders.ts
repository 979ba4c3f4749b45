/**
 * The strangers of a flood, in a process of their own: buyers share theirs with the sandbox. Told a port and a packet,
 * sends it over new connections; each that is answered, or cut off, makes room for the next. Told to end, sends back how
 * many there were.
 */
import { connect } from 'node:net';
import { setPriority } from 'node:os';

const connections = 8;
const patienceMs = 1_000;
let isOver = false;
let ended = 0;

// Strangers have machines of their own. On this one they get what the service and its buyers leave.
setPriority(19);
process.once('message', ({ port, packet }: { port: number; packet: string }) => {
  process.once('message', () => {
    isOver = true;
  });
  const bytes = Buffer.from(packet, 'latin1');
  Promise.all(Array.from({ length: connections }, () => sendAgainAndAgain(port, bytes))).then(() =>
    process.send?.(ended, () => process.disconnect()),
  );
});
process.once('disconnect', () => process.exit());

async function sendAgainAndAgain(port: number, bytes: Buffer): Promise<void> {
  while (!isOver) await once(port, bytes);
}

function once(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    let isServed = false;
    const socket = connect(port, '127.0.0.1', () => {
      isServed = true;
      socket.write(bytes);
    });
    const patience = setTimeout(() => {
      isServed = false;
      socket.destroy();
    }, patienceMs);
    socket.once('data', () => socket.destroy());
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(patience);
      if (isServed) ended += 1;
      resolve();
    });
  });
}
