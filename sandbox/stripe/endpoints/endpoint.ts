import type { z } from 'zod';
import type { Provider } from '../provider.ts';

/** One call of the API. */
export interface Endpoint {
  /** Such as `payment_intents.confirm`: what fault switches and permissions name. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: z.ZodType;
  /** Carries the call out at once. `path` holds what the address names. Throws a `StripeFault`. */
  readonly run: (provider: Provider, parameters: never, path: Record<string, string>) => object;
}

/** Describes a call; `run` gets what `parameters` read. */
export function endpoint<Schema extends z.ZodObject>(
  name: string,
  route: `${Endpoint['method']} /v1/${string}`,
  parameters: Schema,
  run: (provider: Provider, parameters: z.output<Schema>, path: Record<string, string>) => object,
): Endpoint {
  const [method, path] = route.split(' ') as [Endpoint['method'], string];
  return { name, method, path, parameters, run };
}
