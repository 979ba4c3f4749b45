import type { ChainDescription } from './chain/routes.ts';
import { BRAND } from './http.ts';
import type { Letter } from './mail/mailbox.ts';

const LETTERS_SHOWN = 50;

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { border: 3px dashed #b45309; padding: .5rem 1rem; display: inline-block; }
  td, th { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; }
  code, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
  article { border-top: 1px solid #8886; padding: .75rem 0; }`;

/** The page at `/` of the control port: the chains and the newest letters. */
export function sandboxPage(chains: readonly ChainDescription[], letters: readonly Letter[]): string {
  const rows = chains.map(
    (chain) => `<tr><td>${escapeHtml(chain.title)}<br><code>${chain.network}</code></td>
      <td><code>${chain.rpc_url}</code><br>block ${chain.block_number}</td>
      <td>${escapeHtml(chain.asset_name)}<br><code>${chain.asset}</code></td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${BRAND}</title>
<style>${STYLE}</style></head>
<body>
<h1>${BRAND}</h1>
<p>Stand-ins for the chains, the payment facilitator, Stripe, a bucket and the mail. Nothing here is worth anything, and no letter
leaves this machine.</p>
<h2>Chains</h2>
<table><tr><th>Network</th><th>JSON-RPC</th><th>Token</th></tr>${rows.join('')}</table>
<h2>Mail</h2>
${letters.slice(0, LETTERS_SHOWN).map(renderLetter).join('') || '<p>No letter has arrived yet.</p>'}
</body>
</html>
`;
}

function renderLetter({ to, subject, text, received_at }: Letter): string {
  const body = escapeHtml(text).replace(
    /https?:\/\/[^\s<>"]+/g,
    (url) => `<a href="${url}" rel="noreferrer">${url}</a>`,
  );
  return `<article><strong>${escapeHtml(subject)}</strong><br>to ${escapeHtml(to.join(', '))}, ${escapeHtml(received_at)}
<pre>${body}</pre></article>`;
}

/** Escapes text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
