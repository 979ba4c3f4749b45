/** The statements on a page of a report: the first and the last by number, and how many a page has. */
export interface StatementPage {
  first: number;
  last: number;
  size: number;
  /** The digest of an earlier report; null for the newest. */
  digest: string | null;
}

/** Statements on a page: enough for most work, and no page gets heavy. */
export const STATEMENTS_ON_A_PAGE = 50;

/** The page that holds this statement; the first where there is none. */
export function statementPage(number: number, count: number, digest: string | null = null): StatementPage {
  const size = STATEMENTS_ON_A_PAGE;
  const within = Number.isInteger(number) && number >= 1 && number <= count ? number : 1;
  const first = within - ((within - 1) % size);
  return { first, last: Math.max(1, Math.min(count, first + size - 1)), size, digest };
}

/** Every statement on one page, for paper. */
export const wholePage = (count: number, digest: string | null): StatementPage => ({
  first: 1,
  last: Math.max(1, count),
  size: Math.max(1, count),
  digest,
});

export const isOnPage = (number: number, { first, last }: Pick<StatementPage, 'first' | 'last'>): boolean =>
  number >= first && number <= last;

/** The query that opens the page of the statement with this number. */
export function pageQuery(number: number, { size, digest }: StatementPage): string {
  const first = number - ((number - 1) % size);
  return `?${new URLSearchParams({ ...(digest === null ? {} : { report_digest: digest }), statements: String(first) })}`;
}

/** The address of a statement: an anchor, behind a query where it stands on another page. */
export function statementHref(number: number, page: StatementPage): string {
  return `${isOnPage(number, page) ? '' : pageQuery(number, page)}#statement-${number}`;
}
