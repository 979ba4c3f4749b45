import type { SourceFault } from '@/components/forms/AddSource.tsx';
import { perform } from '@/server/door/perform.ts';
import { Problem } from '@/server/problems/problem.ts';
import { setNotice } from '@/server/transports/notice.ts';
import { foreignForm, isFromOwnPage, thenShow } from '@/server/transports/own-form.ts';
import { memberContext } from '../../member.ts';

/** A document with its form; larger bodies are not read at all. */
const maxUploadBytes = 65_536;

/** Adds the form's document and shows the list, with any problem beside the form. */
export async function POST(request: Request): Promise<Response> {
  const { ctx } = await memberContext();
  if (!isFromOwnPage(ctx.runtime.configuration, request)) return foreignForm();
  const fault = await addFrom(request, (input) => perform('add_source', ctx, input));
  return fault === null ? thenShow('/sources') : thenShow('/sources', setNotice('/sources', fault));
}

async function addFrom(request: Request, add: (input: unknown) => Promise<unknown>): Promise<SourceFault | null> {
  if (Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) > maxUploadBytes) return 'too_large';
  const form = await request.formData();
  const file = form.get('file');
  if (!(file instanceof File) || file.name === '') return 'no_file';
  const text = textOf(await file.arrayBuffer());
  if (text === null) return 'not_text';
  const name = String(form.get('name') ?? '').trim() || file.name;
  const media_type = /\.(md|markdown)$/i.test(file.name) ? 'text/markdown' : 'text/plain';
  try {
    await add({ name, text, media_type });
    return null;
  } catch (error) {
    if (error instanceof Problem) return faultOf(error);
    throw error;
  }
}

/** The bytes as text without a byte order mark; null if they are not UTF-8. */
function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function faultOf(problem: Problem): SourceFault | null {
  if (problem.code === 'source_name_taken' || problem.code === 'source_limit_reached') return problem.code;
  // The page asks to sign in again.
  const [field] = problem.extras.errors ?? [];
  if (!field) return null;
  if (field.pointer === '/name') return 'name';
  if (field.code === 'too_large' || field.code === 'blank') return field.code;
  return 'not_text';
}
