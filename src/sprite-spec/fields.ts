import { config, toJSONSchema, z } from 'zod'

// Fields of schemas, with error messages that name the expected value.

// Compiling a schema to code takes more time than it saves, because a process uses each schema only a few times.
config({ jitless: true })

/**
 * Whether a path is valid on every machine that has the project: relative, not a URL, with forward slashes.
 * It may contain `..`.
 */
export function isPathBeside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !/[\\\0]/.test(path) && !/^[a-z][a-z0-9+.-]*:/i.test(path)
}

/**
 * A field for a whole number. Its error names the range.
 *
 * @internal
 */
export function wholeNumber(
  minimum: number,
  maximum: number,
  error: string | ((issue: { readonly input?: unknown }) => string) = `a whole number from ${minimum} to ${maximum}`,
): z.ZodNumber {
  return z.int({ error }).min(minimum, { error }).max(maximum, { error })
}

/**
 * A field for `true` or `false`.
 *
 * @internal
 */
export function flag(): z.ZodBoolean {
  return z.boolean({ error: 'true or false' })
}

/**
 * A field for a text that is not blank.
 *
 * @param error The purpose of the text, in words.
 * @internal
 */
export function filledText(error: string): z.ZodString {
  return z.string({ error }).regex(/\S/, { error })
}

/** A field that may be omitted. Its description ends with its default, so that the two cannot differ. */
export function withDefault<T extends z.ZodType>(field: T, value: z.util.NoUndefined<z.output<T>>, description: string): z.ZodDefault<T> {
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  return field.default(value).describe(`${description} Default: ${shown}.`)
}

/** A field for a number. `error` names the range. */
export function numberFrom(minimum: number, maximum: number, error: string): z.ZodNumber {
  return z.number({ error }).min(minimum, { error }).max(maximum, { error })
}

/** A field for a number above 0. Its error names the range. */
export function positive(maximum: number): z.ZodNumber {
  const error = `a number above 0, at most ${maximum}`
  return z.number({ error }).positive({ error }).max(maximum, { error })
}

/**
 * The field `$schema` of a file.
 *
 * @internal
 */
export const schemaField: z.ZodOptional<z.ZodString> = z
  .string({ error: 'the address of a JSON Schema' })
  .optional()
  .describe('Path or address of the JSON Schema, for editors. Default: none.')

/** A field for the path of a file of the project. */
export function pathBeside(error: string): z.ZodString {
  return z
    .string({ error })
    .refine(isPathBeside, { error: 'a path relative to the folder of the spec, with forward slashes (no URL, no absolute path)' })
}

/**
 * Turns a schema of a file into JSON Schema for editors, with optional defaults. The result is draft 7, which
 * editors support best. The `allow…` keywords are VS Code's.
 *
 * @internal
 */
export function toEditorSchema(file: z.ZodType, words: { readonly title: string; readonly description: string }): object {
  const { $schema, ...schema } = toJSONSchema(file, { target: 'draft-7', io: 'input', unrepresentable: 'any' })
  return { $schema, ...words, allowComments: true, allowTrailingCommas: true, ...schema }
}
