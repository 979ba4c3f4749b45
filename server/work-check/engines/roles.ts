/** Who holds a role or does a thing that one person does: "Marta Quinn was elected chair", "signed by Priya Nair". */
export type Role = { role: string; name: string };

const PERSON = String.raw`(?<name>\p{Lu}[\p{L}'’-]*\.?(?: (?:de|van|von|der|la|bin) )?(?: \p{Lu}[\p{L}'’-]*\.?){1,2})`;

const TITLES: readonly (readonly [string, string])[] = [
  ['chair', 'chair(?:man|woman|person)?'],
  ['president', 'president'],
  ['treasurer', 'treasurer'],
  ['secretary', 'secretary'],
  ['director', '(?:managing )?director'],
  ['manager', '(?:project |site |branch )?manager'],
  ['head', 'head of [a-z]+'],
  ['owner', 'owner'],
  ['author', 'author'],
  ['captain', 'captain'],
  ['winner', 'winner'],
];

/** What one person does, each form under one word. */
const ACTS: readonly (readonly [string, string])[] = [
  ['sign', 'signed'],
  ['chair', 'chaired'],
  ['lead', 'led'],
  ['write', 'written'],
  ['prepare', 'prepared'],
  ['approve', 'approved'],
  ['draft', 'drafted'],
  ['inspect', 'inspected'],
  ['second', 'seconded'],
  ['propose', 'proposed'],
];

const BE =
  '(?:is|was|as|becomes|became|remains|(?:has been|was|is|were) (?:elected|appointed|named|made|confirmed)(?: as)?|elected|appointed)';
const ARTICLE = '(?:the |our |its |their )?(?:new |acting |current )?';

const patterns: readonly { role: string; pattern: RegExp }[] = [
  ...TITLES.flatMap(([role, word]) => [
    { role, pattern: new RegExp(String.raw`${PERSON},? ${BE} ${ARTICLE}${word}\b`, 'u') },
    { role, pattern: new RegExp(String.raw`\b${ARTICLE}${word} ${BE} ${PERSON}`, 'iu') },
    { role, pattern: new RegExp(String.raw`(?<![\p{L}])${capital(word)}: ${PERSON}`, 'u') },
    { role, pattern: new RegExp(String.raw`\b(?:elected|appointed|named) ${PERSON} (?:as )?${ARTICLE}${word}\b`, 'u') },
  ]),
  ...ACTS.map(([role, word]) => ({ role, pattern: new RegExp(String.raw`\b${word} by ${PERSON}`, 'u') })),
];

function capital(word: string): string {
  return word.startsWith('(?:') ? word : `[${word[0]?.toUpperCase()}${word[0]}]${word.slice(1)}`;
}

/** The person that a text gives for a role, the one asked for where one is; undefined where it gives several. */
export function roleIn(text: string, wanted?: string): Role | undefined {
  for (const { role, pattern } of patterns) {
    if (wanted !== undefined && wanted !== role) continue;
    const match = pattern.exec(text);
    const name = match?.groups?.name;
    if (match === null || name === undefined || !isPerson(name)) continue;
    const rest = text.slice(match.index + match[0].length);
    if (/^(?: and|,? \p{Lu}[\p{L}.]+ \p{Lu}\p{L}+ and) \p{Lu}/u.test(rest)) return undefined;
    return { role, name: name.replace(/(?<=\p{L}{2})\.$/u, '') };
  }
  return undefined;
}

/** With a flag for either case a pattern may take small words for a name. */
const isPerson = (name: string): boolean =>
  name.split(' ').every((word) => /^(?:\p{Lu}|de$|van$|von$|der$|la$|bin$)/u.test(word)) &&
  !/^(?:The|A|An|Our) /.test(name);
