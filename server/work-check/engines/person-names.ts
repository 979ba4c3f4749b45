import type { Span } from '../reading/sentences.ts';

const GIVEN = String.raw`(?:\p{Lu}\p{Ll}[\p{L}'’-]{0,30}|\p{Lu}\.(?:[ -]?\p{Lu}\.)?)`;
const PARTICLE = '(?: (?:de|da|dos|del|van|von|der|den|di|la|le|bin|ten))';
const SURNAME = String.raw`\p{Lu}[\p{L}'’]{1,30}(?:-\p{Lu}\p{L}{1,30})?`;
const NAME = String.raw`(?<![\p{L}\p{N}.-])(?<name>${GIVEN}(?: ${GIVEN})?${PARTICLE}{0,2} ${SURNAME})(?![\p{L}\p{N}-])`;
const ROLE =
  '(?:customer|client|patient|passenger|guest|tenant|applicant|candidate|employee|attendee|student|pupil|teacher|doctor|' +
  'nurse|manager|director|head|chair(?:man|woman|person)?|secretary|treasurer|technician|engineer|driver|owner|author|' +
  'editor|spokes(?:person|man|woman)|officer|coordinator|consultant|analyst|developer|accountant|lawyer|solicitor|buyer|' +
  'agent|assistant|supervisor|president|CEO|CFO|CTO|founder|sender|recipient|caller|policyholder|witness|claimant|' +
  'defendant|contact|colleague|chemist|pharmacist|librarian|mayor)';
const TITLE = '(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Dame|Herr|Frau|Mme|Mlle)';

/** Where a capitalised pair is a person: beside an address, after "from", a title or a role, as a label of a speaker. */
const CUES: readonly RegExp[] = [
  new RegExp(String.raw`${NAME}\s{0,2}[<(,:]?\s{0,2}(?:e-?mail:? )?[\w.+-]{1,64}@\w`, 'gu'),
  new RegExp(String.raw`@[\w.-]{1,80}[>)]?,?\s{1,2}[(]?${NAME}`, 'gu'),
  new RegExp(
    String.raw`${NAME}[,:(]?\s{0,2}(?:(?:tel|phone|mobile|cell)\w{0,6}[.:]{0,2} ?)?[+(]?\d{2,4}[ )-]{1,2}\d{3}`,
    'gu',
  ),
  new RegExp(String.raw`^(?:[^,:\n]{0,20}[,:] )?[Ff]rom:? ${NAME}(?=\s{0,2}(?:[,:;<()]|$))`, 'gmu'),
  new RegExp(String.raw`^(?:To|Cc|CC|Bcc): ${NAME}(?=\s{0,2}(?:[,:;<()]|$))`, 'gmu'),
  new RegExp(
    String.raw`\b(?:[Ss]igned|[Ww]ritten|[Ss]ent|[Rr]eported|[Aa]pproved|[Pp]repared)(?: for [\p{L} ]{1,30})? by ${NAME}`,
    'gu',
  ),
  new RegExp(String.raw`\b[Ii]nterview with ${NAME}`, 'gu'),
  new RegExp(String.raw`\b${TITLE}\.? (?<name>(?:${GIVEN} ){0,2}${SURNAME})`, 'gu'),
  new RegExp(String.raw`\b(?:${ROLE}|[Nn]ame)s?: {1,2}${NAME}`, 'gu'),
  new RegExp(`(?:^|[.;,] )(?:${capitalised(ROLE)}|Name|Signed): {0,2}${NAME}`, 'gmu'),
  new RegExp(String.raw`\b${ROLE} ${NAME}`, 'gu'),
  new RegExp(String.raw`${NAME}, (?:the |our |a |an |his |her )?(?:\p{Ll}+ ){0,2}${ROLE}\b`, 'gu'),
  new RegExp(
    String.raw`"(?:\w{1,20}_)?(?:name|customer|candidate|patient|passenger|owner|author|contact|sender)"\s{0,3}:\s{0,3}"${NAME}"`,
    'gu',
  ),
  // The signature of a comment: "… at the door. Ivo Renn, Kiln Road 3", "… at 8. - H. Stoll".
  new RegExp(String.raw`[.!?…] {1,2}(?:[-–—] ?)?${NAME}(?=,? (?:born|aged?) |, [^.!?\n]{3,40}\d|\s{0,3}$)`, 'gmu'),
  new RegExp(String.raw`^\s{0,4}[\[(]?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?[\])]? {1,3}${NAME}: (?=\p{L})`, 'gmu'),
];

function capitalised(alternatives: string): string {
  return alternatives.replace(/(?<=[(|])[a-z]/g, (letter) => letter.toUpperCase());
}

/** Words that no person is called by: with one of them the pair is an organisation, a place or a label. */
const NO_PERSON = new Set(
  (
    'ltd inc llc gmbh plc corp co company group holding supply supplies print press institute university college school ' +
    'council board committee trust foundation labs laboratory hotel pension street road lane avenue square port airport ' +
    'station city town county region north south east west new san los saint united great bank insurance agency department ' +
    'ministry office team service services support care desk center centre clinic hospital works factory nursery bakery ' +
    'journal news weekly magazine times review report survey study note notes policy terms clause section table figure ' +
    'line total date due order invoice number item status price amount net gross vat tax plan project release version ' +
    'january february march april may june july august september october november december monday tuesday wednesday ' +
    'thursday friday saturday sunday customer client account data rules the this that these our your all every each ' +
    'email phone telephone fax address designer interface user manager head house division primary edition data system platform product operations sales marketing finance engineering management human resources federation ' +
    'association society workshop workshops union club church museum library theatre studio airlines ferries express logistics partners'
  ).split(' '),
);

/** Surnames that are words too: standing alone they name nobody for certain. */
const ALSO_WORDS = new Set(
  (
    'brown white black green gray grey young king price bell bishop cook baker carter hill wood stone brook lake field park ' +
    'banks best bird bond bush day case chase cross dean field fish ford fox frost gold grant hope hunt law long love major ' +
    'mason may miller page parish pope power rich rose sharp short small snow star summers swift temple wall ward waters ' +
    'wells winter wise butler fisher gardener hunter marsh mills moss north read reed rice rivers sands silver smart steel ' +
    'street strong sweet toll'
  ).split(' '),
);

/** `Anna Berg:` at the start of two lines or more is a label of a speaker; once, it may be any label. */
function speakers(text: string): string[] {
  const labels = new Map<string, number>();
  for (const match of text.matchAll(new RegExp(`^\\s{0,4}${NAME}: `, 'gmu'))) {
    const name = match.groups?.name ?? '';
    labels.set(name, (labels.get(name) ?? 0) + 1);
  }
  return [...labels].filter(([, times]) => times > 1).map(([name]) => name);
}

/** The names of persons that a text gives away as such, in the order met. */
export function personNames(...texts: readonly string[]): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    const cued = CUES.flatMap((cue) => [...text.matchAll(cue)].map(({ groups }) => groups?.name ?? ''));
    for (const raw of [...cued, ...speakers(text)]) {
      const name = raw.replace(/['’]s?$/, '');
      const parts = name.split(/[ -]/);
      const shouted = parts.length === 1 && name === name.toUpperCase();
      if (!shouted && parts.every((part) => !NO_PERSON.has(part.toLowerCase()))) names.add(name);
    }
  }
  return [...names];
}

export type NamedPerson = Span & { certain: boolean; what: string };

/**
 * Where a text names one of these persons: by the full name, by an initial or a title and the surname, or by the surname
 * alone, unless that is a word as well. A first name alone may be anybody's.
 */
export function findPersons(text: string, names: readonly string[]): NamedPerson[] {
  const { people, firsts } = partsOf(names);
  const words = [...text.matchAll(/(?<![\p{L}\p{N}@._-])\p{Lu}[\p{L}'’]*(?:-\p{Lu}\p{L}+)?\.?/gu)];
  const found: NamedPerson[] = [];
  for (const [at, match] of words.entries()) {
    const raw = match[0].replace(/(?<=\p{L}{2})\.$|['’]s$/u, '');
    const end = match.index + raw.length;
    const start = startOfName(text, words, at, people.get(raw.toLowerCase()) ?? []);
    if (people.has(raw.toLowerCase()) && !/^[@\p{L}]/u.test(text.slice(end, end + 1))) {
      const alone = start === match.index;
      const certain = !alone || isSurname(text, { start, end });
      found.push({ start, end, certain, what: alone ? 'the surname of a person' : 'the name of a person' });
    } else if (firsts.has(raw)) found.push({ start: match.index, end, certain: false, what: 'a first name' });
  }
  return found;
}

/** The bearers of each surname, and the first names that tell somebody. */
function partsOf(names: readonly string[]) {
  const people = new Map<string, { first: string; surname: string }[]>();
  const firsts = new Set<string>();
  for (const name of names) {
    const parts = name.split(' ');
    const surname = parts.at(-1) ?? '';
    const first = parts.length > 1 ? (parts[0] ?? '') : '';
    people.set(surname.toLowerCase(), [...(people.get(surname.toLowerCase()) ?? []), { first, surname }]);
    if (first.length > 2) firsts.add(first);
  }
  return { people, firsts };
}

/** Whether a surname that stands alone can hardly be another word. */
function isSurname(text: string, { start, end }: Span): boolean {
  const raw = text.slice(start, end);
  if (ALSO_WORDS.has(raw.toLowerCase()) || NO_PERSON.has(raw.toLowerCase())) return false;
  const next = /^\s(\p{Lu}\p{L}+)/u.exec(text.slice(end, end + 32))?.[1]?.toLowerCase() ?? '';
  const opens = /(?:^|[.!?:\n]\s*)$/.test(text.slice(Math.max(0, start - 3), start));
  return !NO_PERSON.has(next) && (!opens || raw.length > 4);
}

const TITLED = new RegExp(`^${TITLE}\\.?$`);

/** Where a name begins that ends with this surname: at a first name, an initial or a title that stands right before it. */
function startOfName(
  text: string,
  words: readonly RegExpExecArray[],
  at: number,
  bearers: readonly { first: string }[],
): number {
  const here = words[at]?.index ?? 0;
  let start = here;
  for (let before = at - 1; before >= Math.max(0, at - 2); before -= 1) {
    const word = words[before];
    if (
      word === undefined ||
      !/^(?: (?:de|da|dos|del|van|von|der|den|di|la|le|bin|ten)){0,2}\s{1,2}$/.test(
        text.slice(word.index + word[0].length, start),
      )
    )
      break;
    const raw = word[0];
    const initial = /^\p{Lu}\.$/u.test(raw) && bearers.some(({ first }) => first[0] === raw[0]);
    const titled = TITLED.test(raw);
    if (!initial && !titled && !bearers.some(({ first }) => first === raw)) break;
    start = word.index;
  }
  return start;
}
