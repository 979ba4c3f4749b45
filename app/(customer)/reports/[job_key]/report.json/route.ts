import { download } from '../../../download.ts';

export const GET = download('report', {
  name: (jobKey) => `${jobKey}-report.json`,
  type: 'application/json',
  text: (report) => `${JSON.stringify(report, null, 2)}\n`,
});
