/** The worker as a process of a test's own: it ends with the process that has started it. */
import '../../server/queue/worker.ts';

process.once('disconnect', () => process.exit());
// It does not keep a worker alive that has been told to stop.
process.channel?.unref();
