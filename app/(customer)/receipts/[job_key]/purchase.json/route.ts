import { download } from '../../../download.ts';

export const GET = download('bundle', {
  name: (jobKey) => `${jobKey}-purchase.json`,
  type: 'application/json',
  text: (bundle) => `${JSON.stringify(bundle, null, 2)}\n`,
});
