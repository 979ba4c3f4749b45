import type { Letter } from '../runtime.ts';

/** A letter's content, before formatting. */
export interface Words {
  subject: string;
  /** The one action. Its address is the first in the text, after the first paragraph. */
  action: { label: string; url: string };
  /** The first one is what a lock screen shows. */
  paragraphs: readonly string[];
}

/** The one template: the same words as text and HTML. Foreign words are escaped. */
export function letterOf({ subject, action, paragraphs }: Words): Letter {
  const { origin } = new URL(action.url);
  const [first = '', ...rest] = paragraphs;
  const sender = `Work Check, ${origin}`;
  return {
    subject,
    text: `${[first, `${action.label}:\n${action.url}`, ...rest, `--\n${sender}`].join('\n\n')}\n`,
    html: page(subject, [
      paragraph(first, origin),
      `<p style="margin:24px 0"><a class="act" href="${escaped(action.url)}">${escaped(action.label)}</a></p>`,
      ...rest.map((text) => paragraph(text, origin)),
      `<p class="foot">${escaped('Work Check')}, <a href="${escaped(origin)}">${escaped(origin)}</a></p>`,
    ]),
  };
}

/** The colors of the pages, as mail programs understand them: no variables, no `light-dark()`. */
const style = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 32px 16px; background: #f9fafb; color: #14171e; }
body, p, a { font: 16px/1.5 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.sheet { max-width: 520px; margin: 0 auto; padding: 24px; background: #ffffff; border: 1px solid #e1e3e7; border-radius: 10px; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
a { color: #2346bc; }
.act { display: inline-block; padding: 10px 20px; border-radius: 6px; background: #14171e; color: #ffffff; font-weight: 600; text-decoration: none; }
.foot, .foot a { margin: 24px 0 0; font-size: 13px; color: #616671; }
@media (prefers-color-scheme: dark) {
  body { background: #0d0e11; color: #ebedef; }
  .sheet { background: #14161a; border-color: #292b30; }
  a { color: #94b1ff; }
  .act { background: #ebedef; color: #14161a; }
  .foot, .foot a { color: #8e929b; }
}`;

function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escaped(title)}</title><style>${style}
</style></head><body><div class="sheet">
${parts.join('\n')}
</div></body></html>
`;
}

/** A paragraph, in which addresses of our own pages are links. */
function paragraph(text: string, origin: string): string {
  const words = escaped(text).replaceAll(/https?:\/\/[^\s<>"]+[^\s<>".,:)]/g, (url) =>
    url.startsWith(`${origin}/`) ? `<a href="${url}">${url}</a>` : url,
  );
  return `<p>${words.replaceAll('\n', '<br>')}</p>`;
}

/** A word joiner: invisible, and keeps mail programs from making a link. */
const wordJoiner = '\u2060';

/** Foreign words, quoted so that mail programs make no link of them. */
export function quoted(text: string): string {
  return `“${text.replaceAll(/[.:/@]/g, `${wordJoiner}$&${wordJoiner}`)}”`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
