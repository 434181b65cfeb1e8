import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { isInside, realPath } from '../../../host/real-path.ts'
import { usageError } from '../../arguments.ts'
import type { ToolPorts } from './tool.ts'

/** A JSON Schema, as far as fields are found in it. */
interface FieldSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly additionalProperties?: FieldSchema | false
}

/** A path in a spec: keys, and places in lists. */
export type FieldPath = readonly (string | number)[]

/** A written field: keys with dots between them. */
export const fieldPattern: RegExp = /^[A-Za-z0-9][\w-]*(?:\.[A-Za-z0-9][\w-]*){0,9}$/

/** Splits a written field. A number is a place in a list of steps, or else a name. */
export function toPath(field: string): FieldPath {
  const keys = field.split('.')
  const isPlace = (at: number): boolean =>
    (keys[at - 1] === 'steps' || (keys[0] === 'pictures' && at === 2)) && /^\d{1,3}$/.test(keys[at] ?? '')
  return keys.map((key, at) => (isPlace(at) ? Number(key) : key))
}

/**
 * Describes a field of a schema. A part of a value, such as the width of `size`, has the description of the whole.
 *
 * @returns `undefined` if the schema has no such field.
 */
export function describeField(schema: unknown, path: FieldPath): string | undefined {
  let node = schema as FieldSchema
  let description: string | undefined
  for (const key of path) {
    const { properties = {}, additionalProperties } = node
    const next = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    if (next === false || (next === undefined && description === undefined)) return undefined
    if (next === undefined) return description
    node = next
    description = next.description ?? description
  }
  return description
}

/** Whether a change of a field is free by its description, which is where the rule stands. A mixed one is not. */
export function isFree(description: string): boolean {
  return description.startsWith('FREE.')
}

/**
 * The paths of files in the value of a field.
 *
 * @param path Of the field.
 */
export function filesIn(path: FieldPath, value: unknown): readonly string[] {
  if (typeof value === 'string') return ['reference', 'image', 'source'].includes(String(path.at(-1))) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => filesIn([...path, key], member))
}

/**
 * Refuses a path that leads out of the project, also by a link.
 *
 * @param from The absolute folder from which it is written.
 * @returns The absolute path.
 * @throws `SW_USAGE`
 */
export function insideProject({ root }: Pick<ToolPorts, 'root'>, from: string, path: string): string {
  const file = resolve(from, path)
  const parts = relative(root, file).split(/[/\\]/)
  const isHidden = parts.some((part) => part.startsWith('.') || part === 'node_modules')
  const isPlain = !isAbsolute(path) && !/[\\:\0]/.test(path)
  if (isPlain && !isHidden && isInside(root, file) && isInside(realPath(root), realPath(file))) return file
  throw usageError(
    `Expected a path inside the project, without links out of it and not in a hidden folder, found ${JSON.stringify(path)}. Nothing was written.`,
    { path },
  )
}

/**
 * Reads a picture of the project.
 *
 * @param path From the root, with forward slashes.
 * @throws `SW_USAGE` for another path.
 */
export async function readPicture(ports: ToolPorts, path: string): Promise<Uint8Array> {
  const isPicture = (file: string): boolean => /\.(?:png|jpe?g|webp)$/i.test(file)
  const file = path.split('/').includes('..') ? dirname(ports.root) : insideProject(ports, ports.root, path)
  const stat = isPicture(file) && isPicture(realPath(file)) ? await ports.host.disk.stat(file) : undefined
  if (stat && !stat.isFolder && stat.bytes <= mostPictureBytes) return ports.host.disk.read(file)
  throw usageError(
    `Expected a PNG, JPEG or WebP file of at most 20 MB inside the project, written from its root as in "art/hero.png", found ${JSON.stringify(path)}. Nothing was written.`,
    { path },
  )
}

const mostPictureBytes = 20_000_000
