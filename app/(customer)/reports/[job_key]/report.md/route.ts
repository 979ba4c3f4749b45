import { download } from '../../../download.ts';

export const GET = download('report', {
  name: (jobKey) => `${jobKey}-report.md`,
  type: 'text/markdown',
  text: ({ report }) => report.body,
});
