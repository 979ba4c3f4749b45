import type { z } from 'zod';
import type { Provider } from '../provider.ts';

/** One call of the API. */
export interface Endpoint {
  /** Such as `payment_intents.confirm`: the name in fault switches and permissions. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: z.ZodType;
  /** Carries the call out synchronously. `path` holds its path parameters. Throws a `StripeFault`. */
  readonly run: (provider: Provider, parameters: never, path: Record<string, string>) => object;
}

/** Describes a call; `run` gets the parsed `parameters`. */
export function endpoint<Schema extends z.ZodObject>(
  name: string,
  route: `${Endpoint['method']} /v1/${string}`,
  parameters: Schema,
  run: (provider: Provider, parameters: z.output<Schema>, path: Record<string, string>) => object,
): Endpoint {
  const [method, path] = route.split(' ') as [Endpoint['method'], string];
  return { name, method, path, parameters, run };
}
