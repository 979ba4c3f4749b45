/** What Prometheus reads: samples by name, each with its labels. */
export interface Samples {
  text: string;
  names: Set<string>;
  /** The value of the sample with these labels; undefined if there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

/** Reads `/metrics` as Prometheus does; retries while the server does not listen yet. */
export async function scrape(port: number, headers: Record<string, string> = {}): Promise<Samples> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers }).catch(() => null);
    if (response === null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    if (response.status !== 200) throw new Error(`the answer is ${response.status}`);
    return samplesOf(await response.text());
  }
}

function samplesOf(text: string): Samples {
  const found = [...text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text])),
    value: Number(value),
  }));
  return {
    text,
    names: new Set(found.map(({ name }) => name)),
    value: (name, labels = {}) =>
      found.find(
        (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
      )?.value,
  };
}
