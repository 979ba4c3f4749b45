// The sandbox's own page: what runs here, and the mail that would have gone out.
import type { ChainDescription } from './chain/routes.ts';
import { BRAND } from './http.ts';
import type { Letter } from './mail/mailbox.ts';

const LETTERS_SHOWN = 50;

export function sandboxPage(chains: readonly ChainDescription[], letters: readonly Letter[]): string {
  const chainRows = chains.map(
    (chain) => `<tr><td>${inert(chain.title)}</td><td><code>${chain.network}</code></td>
      <td><code>${inert(chain.rpc_url)}</code></td><td>${chain.block_number}</td><td>${chain.mining}</td></tr>`,
  );
  const mail = letters.slice(0, LETTERS_SHOWN).map(
    (letter) => `<details><summary><b>${inert(letter.subject)}</b> to ${inert(letter.to.join(', '))}
      at ${inert(letter.received_at)}</summary><pre>${inert(letter.text)}</pre></details>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${BRAND}</title>
<meta name="viewport" content="width=device-width"><style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .4rem .8rem .4rem 0; }
pre { white-space: pre-wrap; } summary { cursor: pointer; padding: .4rem 0; }
</style></head><body><h1>${BRAND}</h1>
<p>Stand-ins for payment, chains and mail on this machine. Nothing here is worth anything.</p>
<h2>Chains</h2><table><tr><th>Chain</th><th>Network</th><th>JSON-RPC</th><th>Block</th><th>Mining</th></tr>
${chainRows.join('')}</table>
<h2>Mail</h2>${mail.length > 0 ? mail.join('') : '<p>No mail yet.</p>'}</body></html>`;
}

function inert(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
