import type { Letter } from './mailer.ts';

/** A letter's content, before formatting. */
export interface Words {
  subject: string;
  /** The one action. Its address is the first line of the text. */
  action: { label: string; url: string };
  paragraphs: readonly string[];
}

/** Formats the same words as text and HTML. Foreign words are escaped. */
export function letterOf({ subject, action, paragraphs }: Words): Letter {
  const html = paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`);
  return {
    subject,
    text: `${[`${action.url}\n${action.label}: the link above.`, ...paragraphs].join('\n\n')}\n`,
    html: `${html[0] ?? ''}<p><a href="${escaped(action.url)}">${escaped(action.label)}</a></p>${html.slice(1).join('')}`,
  };
}

/** A word joiner: invisible, and keeps mail programs from making a link. */
const wordJoiner = '\u2060';

/** Foreign words, quoted so that mail programs make no link of them. */
export function quoted(text: string): string {
  return `“${text.replaceAll(/[.:/@]/g, `${wordJoiner}$&${wordJoiner}`)}”`;
}

/** An instant to read: `2026-11-20 14:32 UTC`. */
export function instantText(at: Date): string {
  const iso = at.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
