/** A test's own worker process: it ends with the process that started it. */
import '../../server/worker/worker.ts';

process.once('disconnect', () => process.exit());
// The channel must not keep a stopping worker alive.
process.channel?.unref();
