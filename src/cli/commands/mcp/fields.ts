import { isAbsolute, relative, resolve } from 'node:path'
import { isInside, realPath } from '../../../host/real-path.ts'
import { usageError } from '../../arguments.ts'

/** A JSON Schema, as far as fields are found in it. */
interface FieldSchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly additionalProperties?: FieldSchema | false
}

/**
 * Describes a field of a schema. A part of a value, such as the width of `size`, has the description of the whole.
 * That of a spec begins with PAID or FREE.
 *
 * @returns `undefined` if the schema has no such field.
 */
export function describeField(schema: unknown, path: readonly string[]): string | undefined {
  let node = schema as FieldSchema
  let description: string | undefined
  for (const key of path) {
    const { properties = {}, additionalProperties } = node
    const next = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    const hasParts = next !== false && !/^(?:string|number|integer|boolean)$/.test(node.type ?? '')
    if (!next) return hasParts ? description : undefined
    node = next
    description = next.description ?? description
  }
  return description
}

/**
 * The paths of files in the value of a field.
 *
 * @param path Of the field.
 */
export function filesIn(path: readonly string[], value: unknown): readonly string[] {
  if (typeof value === 'string') return /^(?:reference|image|source)$/.test(path.at(-1) ?? '') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => filesIn([...path, key], member))
}

/**
 * Refuses a path that leads out of the project, also by a link, or into a hidden folder.
 *
 * @param from The absolute folder from which it is written.
 * @param ending Of the file, and of the file that a link leads to.
 * @returns The absolute path.
 * @throws `SW_USAGE`
 */
export function insideProject(root: string, from: string, path: string, ending: RegExp = /^/): string {
  const file = resolve(from, path)
  const real = realPath(file)
  const isHidden = relative(root, file)
    .split(/[/\\]/)
    .some((part) => /^\.|^node_modules$/.test(part))
  const isPlain =
    !isAbsolute(path) && !/[\\:\0]/.test(path) && !(from === root && path.includes('..')) && ending.test(file) && ending.test(real)
  if (isPlain && !isHidden && isInside(root, file) && isInside(realPath(root), real)) return file
  throw usageError(
    `Expected a ${ending.source === '^' ? 'path' : 'PNG, JPEG or WebP file'} inside the project, not behind a link or in a hidden folder, found ${JSON.stringify(path)}. Nothing was written.`,
    { path },
  )
}
