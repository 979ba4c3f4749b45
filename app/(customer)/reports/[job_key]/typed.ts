/** Text typed into a dispute's form, for the address: base 64 stays short in every script. */
export interface Typed {
  reason?: string | string[];
  detail?: string | string[];
}

/** The query that shows the form again with what was typed. */
export function typedQuery(fields: URLSearchParams): string {
  const detail = Buffer.from(fields.get('detail') ?? '').toString('base64url');
  return new URLSearchParams({ reason: fields.get('reason') ?? '', detail }).toString();
}

/** What was typed; empty for nothing. */
export function typedIn({ reason, detail }: Typed): { reason: string; detail: string } {
  return {
    reason: typeof reason === 'string' ? reason : '',
    detail: typeof detail === 'string' ? Buffer.from(detail, 'base64url').toString() : '',
  };
}
