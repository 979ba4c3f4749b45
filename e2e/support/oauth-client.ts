import { createHash, randomBytes } from 'node:crypto';
import type { Client } from './agent.ts';

/** A client that registered itself and has sent this person to us: what waits for a decision. */
export async function waitingClient(baseUrl: string, person: Client): Promise<{ authorization_key: string }> {
  const redirect_uri = 'http://127.0.0.1:9/callback';
  const registered = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect_uri], client_name: 'A host' }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const asked = await fetch(`${baseUrl}/oauth/authorize?${query}`, {
    redirect: 'manual',
    headers: { cookie: person.identity().cookie ?? '' },
  });
  return { authorization_key: asked.headers.get('location')?.split('/').at(-1) ?? '' };
}
