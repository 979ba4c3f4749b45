import type pg from 'pg';

interface Told {
  quote_key?: string;
  job_key?: string;
  timeline?: { event: string; state: string }[];
}

/**
 * The journal of what buyers were told (I19): quotes, jobs, and the progress of jobs. All of it must stay true,
 * whatever happened to the process that said it.
 */
export class Acknowledged {
  readonly #quotes = new Set<string>();
  /** The longest history told of each job. */
  readonly #steps = new Map<string, string[]>();

  /** Records an answer as sent. */
  note(status: number, text: string): void {
    if (status < 200 || status > 299) return;
    const { quote_key, job_key, timeline } = parsed(text);
    if (quote_key) this.#quotes.add(quote_key);
    if (!job_key || !timeline) return;
    const steps = timeline.map(({ event, state }) => `${event}: ${state}`);
    if (steps.length > (this.#steps.get(job_key)?.length ?? 0)) this.#steps.set(job_key, steps);
  }

  /** The database was restored from a backup: what was told before may be gone. */
  forget(): void {
    this.#quotes.clear();
    this.#steps.clear();
  }

  /** What was told and is not true; empty when all is. */
  async missing(database: Pick<pg.Pool, 'query'>): Promise<string[]> {
    // Later answers may be newer than the rows read below.
    const [toldQuotes, toldSteps] = [[...this.#quotes], [...this.#steps]];
    // By the audit, which stays when a quote that nobody authorized goes.
    const quotes = await database.query<{ quote_key: string }>(
      `select purchase_key as quote_key from audit_steps where purchase_key = any($1::text[])
       -- The archive has the audit of those.
       union select key from unnest($1::text[]) key, archived_audit
       where key between first_key and last_key and not exists (select from quotes where quote_key = key)`,
      [toldQuotes],
    );
    const there = new Set(quotes.rows.map(({ quote_key }) => quote_key));
    const jobs = await database.query<{ job_key: string; steps: string[] }>(
      `select job_key, array_agg(action || ': ' || state_to order by sequence) as steps
       from jobs join audit_steps on purchase_key = quote_key where job_key = any($1::text[]) group by job_key`,
      [toldSteps.map(([key]) => key)],
    );
    const happened = new Map(jobs.rows.map(({ job_key, steps }) => [job_key, steps]));
    const lostQuotes = toldQuotes.filter((key) => !there.has(key));
    const lostJobs = toldSteps.filter(([key, told]) => {
      const steps = happened.get(key) ?? [];
      return told.some((step, index) => steps[index] !== step);
    });
    return [
      ...lostQuotes.map((key) => `I19 ${key} was answered, and is not there`),
      ...lostJobs.map(([key, told]) => `I19 ${key} was told to have come to "${told.at(-1)}", and has not`),
    ];
  }
}

function parsed(text: string): Told {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
