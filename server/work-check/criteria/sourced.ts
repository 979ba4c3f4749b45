import type { EvidenceSource } from '../reading/evidence-index.ts';
import type { Statement, Work } from '../statements.ts';
import type { Citations, Marker } from './markers.ts';
import { tellingWords } from './references.ts';

/** How a statement with a figure says where it comes from; `paragraph`: a later statement of the same paragraph does. */
export type Sourced = { statement: number; by: 'marker' | 'name' | 'paragraph' | 'field' | 'nothing' };

const SOURCE_FIELD =
  /(?:^|_|\/)(?:source|sources|citation|citations|reference|references|ref|refs|evidence|url|cite[sd]?|cited_from)$/i;

/** For each statement with a figure, its index in `work.statements` and how it says where it comes from. */
export function sourcedStatements(
  { statements, value }: Work,
  { markers }: Citations,
  sources: readonly Pick<EvidenceSource, 'source'>[],
): Sourced[] {
  const names = new Set(sources.flatMap(({ source }) => tellingWords(source)));
  const parents = new Set(statements.flatMap(({ place }) => ('path' in place ? sourcedParent(place.path) : [])));
  const marked = typeof value === 'string' ? markedStatements(statements, markers, value) : new Set<number>();
  const told = statements.map(({ place, text }, at): Sourced['by'] => {
    if ('path' in place && parents.has(parentOf(place.path))) return 'field';
    if (marked.has(at) || ('path' in place && markers.some(({ words }) => text.includes(words)))) return 'marker';
    const named = [...text.matchAll(/\p{Lu}[\p{L}'’-]+/gu)].some(({ 0: word }) =>
      tellingWords(word).some((part) => names.has(part)),
    );
    return named ? 'name' : 'nothing';
  });
  let later = false;
  for (let at = statements.length - 1; at >= 0; at -= 1) {
    const [place, next] = [statements[at]?.place, statements[at + 1]?.place];
    if (typeof value !== 'string' || place === undefined || !('start' in place)) break;
    if (next === undefined || !('start' in next) || value.slice(place.end, next.start).includes('\n')) later = false;
    if (told[at] === 'marker') later = true;
    else if (told[at] === 'nothing' && later) told[at] = 'paragraph';
  }
  return statements.flatMap(({ quantities }, index) =>
    quantities.length === 0 ? [] : [{ statement: index, by: told[index] ?? 'nothing' }],
  );
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** The record that a field such as `/lines/2/source` or `/lines/2/sources/0` names a source for. */
function sourcedParent(path: string): string[] {
  const field = path.replace(/\/\d+$/, '');
  return SOURCE_FIELD.test(field) ? [parentOf(field)] : [];
}

/**
 * The statements that a marker belongs to: the one it stands in or right behind, or the one before when it opens what
 * follows a full stop.
 */
function markedStatements(statements: readonly Statement[], markers: readonly Marker[], text: string): Set<number> {
  const marked = new Set<number>();
  let at = 0;
  for (const { start, end } of markers) {
    const startOf = (index: number): number => {
      const place = statements[index]?.place;
      return place !== undefined && 'start' in place ? place.start : Number.POSITIVE_INFINITY;
    };
    while (startOf(at + 1) <= start) at += 1;
    const place = statements[at]?.place;
    if (place === undefined || !('start' in place) || startOf(at) > start) continue;
    const before = statements[at - 1]?.place;
    const behind = (of: Statement['place'] | undefined): boolean =>
      of !== undefined &&
      'start' in of &&
      of.end <= start &&
      /^[ \t]*$/.test(text.slice(of.end, start)) &&
      start - of.end < 8;
    if (start === place.start && behind(before)) marked.add(at - 1);
    else if (start < place.end ? end <= place.end + 1 || start > place.start : behind(place)) marked.add(at);
  }
  return marked;
}
