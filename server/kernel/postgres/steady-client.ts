import type { Socket } from 'node:net';
import pg from 'pg';
import { type Servers, serversOf } from './primary.ts';

export interface SteadyConfig extends pg.ClientConfig {
  /** Gives up a connection on which an answer is awaited for longer: a machine that vanished never closes it. */
  silenceMaxMs?: number;
}

/** How often to look whether an answer has come. */
const lookEveryMs = 1_000;

/**
 * A connection to the server that takes writes, if `connectionString` names several, and whose end never ends the
 * process. The driver and its pool listen for errors only between connecting and lending, and the queue stops listening
 * before it closes: whatever arrives in between, e.g. from a server that ends the connection just after it opened, would
 * be thrown. Statements on such a connection fail as on any lost one.
 */
export class SteadyClient extends pg.Client {
  readonly #servers: Servers | null;
  readonly #silenceMaxMs: number;

  constructor(config: SteadyConfig = {}) {
    const servers = serversOf(config.connectionString ?? '');
    super(servers ? { ...config, connectionString: servers.any } : config);
    this.#servers = servers;
    this.#silenceMaxMs = config.silenceMaxMs ?? 0;
    this.once('connect', () => this.#endIfSilent());
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (!this.#servers) {
      if (!callback) return super.connect();
      super.connect(callback);
      return;
    }
    const connecting = this.#connectToPrimary(this.#servers);
    if (!callback) return connecting;
    // Apart: an error of the caller is not one of connecting.
    connecting.then(
      () => process.nextTick(callback as () => void),
      (error) => process.nextTick(callback, error),
    );
  }

  override emit(...given: Parameters<pg.Client['emit']>): boolean {
    if (given[0] === 'error' && this.listenerCount('error') === 0) return false;
    return super.emit(...given);
  }

  async #connectToPrimary(servers: Servers): Promise<pg.Client> {
    const primary = await servers.primary();
    const { hostname, port } = new URL(primary.url);
    this.host = hostname.replace(/^\[|\]$/g, '');
    this.port = Number(port || 5_432);
    const held = { cut: (reason: Error) => void this.#inside.connection.stream.destroy(reason) };
    try {
      await super.connect();
      this.once('end', () => servers.release(held));
      // A lost connection may mean a lost server.
      this.on('error', () => servers.forget(primary));
      await servers.hold(held, primary, (text) => this.query(text));
    } catch (error) {
      servers.forget(primary);
      servers.release(held);
      this.end().catch(() => {});
      throw error;
    }
    return this;
  }

  /** What is written says nothing: only bytes that come. */
  #endIfSilent(): void {
    if (this.#silenceMaxMs === 0) return;
    const { stream } = this.#inside.connection;
    let [read, since] = [stream.bytesRead, performance.now()];
    const timer = setInterval(() => {
      if (this.#inside.readyForQuery || stream.bytesRead !== read) {
        [read, since] = [stream.bytesRead, performance.now()];
      } else if (performance.now() - since > this.#silenceMaxMs) {
        stream.destroy(new Error('Connection terminated: the database does not answer'));
      }
    }, lookEveryMs).unref();
    stream.once('close', () => clearInterval(timer));
  }

  get #inside(): { readyForQuery: boolean; connection: { stream: Socket } } {
    return this as never;
  }
}
