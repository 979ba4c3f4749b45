import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Problem } from '@/server/problems/problem.ts';
import { ArchiveAway, isInArchive } from './archive-away.tsx';

const refused = (...reasons: string[]) => new Problem('service_unavailable', 'Not now.', { members: { reasons } });

describe('a page of a purchase whose texts lie in the archive', () => {
  it('says that nothing is lost, and how to go on, while the archive does not answer', () => {
    expect(isInArchive(refused('archive_unreachable'))).toBe(true);
    const markup = renderToStaticMarkup(<ArchiveAway />);
    expect(markup).toContain('Nothing is lost: try again');
    expect(markup).toContain('Try again');
    expect(markup).toContain('href="/purchases"');
  });

  it('says so of nothing else', () => {
    for (const error of [refused('rail_disabled'), new Problem('not_found', 'Gone.'), new Error('archive_unreachable')])
      expect(isInArchive(error)).toBe(false);
  });
});
