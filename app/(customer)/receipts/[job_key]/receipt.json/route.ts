import { download } from '../../../download.ts';

export const GET = download('receipt', {
  name: (jobKey) => `${jobKey}-receipt.json`,
  type: 'application/json',
  text: (receipt) => `${JSON.stringify(receipt, null, 2)}\n`,
});
