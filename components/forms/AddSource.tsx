import { CircleAlert } from 'lucide-react';
import { sourceBounds } from '@/server/sources/contract.ts';

const documentBytes = sourceBounds.document_bytes.toLocaleString('en-US');

/** Why a document was not added, in the operation's or the form's words. */
export type SourceFault =
  | 'no_file'
  | 'not_text'
  | 'too_large'
  | 'blank'
  | 'name'
  | 'source_name_taken'
  | 'source_limit_reached';

const faults: Record<SourceFault, { field: 'file' | 'name'; words: string }> = {
  no_file: { field: 'file', words: 'Choose a file.' },
  not_text: { field: 'file', words: 'This file is not UTF-8 text. Save it as plain text or Markdown.' },
  too_large: { field: 'file', words: `This file is larger than ${documentBytes} bytes. Split it into parts.` },
  blank: { field: 'file', words: 'This file is empty.' },
  source_limit_reached: {
    field: 'file',
    words: `You already have ${sourceBounds.documents_per_account} documents, which is the limit. Remove one first.`,
  },
  name: { field: 'name', words: `Choose a name of 1 to ${sourceBounds.name_bytes} bytes.` },
  source_name_taken: {
    field: 'name',
    words: 'Another document has this name. Remove that one first, or choose another name.',
  },
};

/** The form that adds a governed document. Works without scripts. */
export function AddSource({ fault }: { fault: SourceFault | null }) {
  const shown = fault !== null && Object.hasOwn(faults, fault) ? faults[fault] : null;
  const errorOf = (field: 'file' | 'name') =>
    shown?.field === field ? (
      <p id={`${field}-error`} className="error">
        <CircleAlert className="icon mt-0.5" />
        {shown.words}
      </p>
    ) : null;
  const described = (field: 'file' | 'name') => ({
    'aria-describedby': shown?.field === field ? `${field}-error` : `${field}-hint`,
    'aria-invalid': shown?.field === field,
  });
  return (
    <section aria-labelledby="add">
      <h2 id="add" className="border-b border-ink pb-2 text-h3">
        Add a document
      </h2>
      <form action="/sources/add" method="post" encType="multipart/form-data" className="mt-4 grid gap-5">
        <div>
          <label className="label" htmlFor="file">
            File
          </label>
          <input
            id="file"
            name="file"
            type="file"
            required
            accept=".txt,.md,.markdown,text/plain,text/markdown"
            className="field py-1.5 text-ui file:btn file:mr-3"
            // biome-ignore lint/a11y/noAutofocus: after a refusal, focus the field to fix
            autoFocus={shown?.field === 'file'}
            {...described('file')}
          />
          {errorOf('file') ?? (
            <p id="file-hint" className="hint">
              UTF-8 text or Markdown, at most {documentBytes} bytes. You can remove it later, but not change it.
            </p>
          )}
        </div>
        <div>
          <label className="label" htmlFor="name">
            Name
          </label>
          <input
            id="name"
            name="name"
            type="text"
            maxLength={sourceBounds.name_bytes}
            autoComplete="off"
            className="field"
            // biome-ignore lint/a11y/noAutofocus: after a refusal, focus the field to fix
            autoFocus={shown?.field === 'name'}
            {...described('name')}
          />
          {errorOf('name') ?? (
            <p id="name-hint" className="hint">
              Reports use this name. If empty, the file’s name is used.
            </p>
          )}
        </div>
        <button type="submit" className="btn btn-primary">
          Add document
        </button>
      </form>
    </section>
  );
}
