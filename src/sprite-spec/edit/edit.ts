import { isDeepStrictEqual } from 'node:util'
import { SpritewrightError } from '../../errors.ts'
import { createDocument, type ValuePath } from '../document.ts'
import { parseJsonText } from '../json-text.ts'
import { parseSpec } from '../parser.ts'
import { valueAt } from '../schema-faults.ts'
import { parseYamlText } from '../yaml-text.ts'
import { editJsonText } from './json.ts'
import { editYamlText, rewriteYamlText } from './yaml.ts'

/** A value of an edited field: plain JSON. */
export type FieldValue = number | boolean | string | readonly number[] | readonly string[] | { readonly [key: string]: FieldValue }

/**
 * An edit of one field of a spec. The path consists of keys and list indices. Missing objects on the path are created.
 * Without a value, the field is removed.
 */
export interface FieldEdit {
  readonly path: ValuePath
  readonly value?: FieldValue
}

/**
 * Writes fields into the text of a spec. Comments, order and format of the rest do not change. If YAML allows
 * no such small change, at least comments and values are kept.
 *
 * @param file Absolute path. Its ending chooses JSON or YAML.
 * @param shownAs The file's name in messages.
 * @throws `SW_SPEC` if the text is not a valid spec before or after the edit.
 */
export function editSpecText(text: string, file: string, shownAs: string, edits: readonly FieldEdit[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  let edited = text.slice(mark.length)
  parseSpec(edited, file, shownAs)
  const isYaml = /\.ya?ml$/.test(file)
  for (const edit of edits) edited = editField(edited, edit, isYaml, file, shownAs)
  parseSpec(edited, file, shownAs)
  return mark + edited
}

/** Edits one field and verifies the new text: it has the intended value, and no other value has changed. */
function editField(text: string, edit: FieldEdit, isYaml: boolean, file: string, shownAs: string): string {
  const data = dataOf(text, isYaml)
  const { path, value } = withObjects(edit, data)
  if (value === undefined && valueAt(data, path) === undefined) return text
  const wanted = withField(data, path, value)
  const isRight = (candidate: string | undefined): candidate is string =>
    candidate !== undefined && isDeepStrictEqual(dataOf(candidate, isYaml), wanted)
  const small = (isYaml ? editYamlText : editJsonText)(text, path, value === undefined ? undefined : toText(value))
  if (isRight(small)) return small
  const large = isYaml ? rewriteYamlText(text, path, value) : undefined
  if (isRight(large)) return large
  throw new SpritewrightError('SW_SPEC', {
    message: `${shownAs}: ${path.join('.')} cannot be written without other changes. Write it by hand${value === undefined ? ': take it out' : ` as ${toText(value)}`}.`,
    facts: { file, field: path.join('.') },
  })
}

/** The same edit, in the form of an edit of the outermost missing object. */
function withObjects({ path, value }: FieldEdit, data: unknown): FieldEdit {
  const [last] = path.slice(-1)
  const around = path.slice(0, -1)
  if (last === undefined || value === undefined || valueAt(data, around) !== undefined) return { path, value }
  return withObjects({ path: around, value: { [last]: value } }, data)
}

/** Plain data of a text. All objects get the same prototype, so that they can be compared. */
function dataOf(text: string, isYaml: boolean): unknown {
  const parsed = (isYaml ? parseYamlText : parseJsonText)(text)
  return 'broken' in parsed ? undefined : JSON.parse(JSON.stringify(createDocument(text, parsed.root).value))
}

function withField(value: unknown, path: ValuePath, field: FieldValue | undefined): unknown {
  const [key, ...rest] = path
  if (key === undefined) return field
  const object = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  if (rest.length === 0 && field === undefined) delete object[key]
  else object[key] = withField(object[key], rest, field)
  return object
}

/** JSON on one line, with spaces: `[0, 1]`, `{ "width": 64 }`. */
function toText(value: FieldValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${toText(item)}`)
    .join(', ')} }`
}
