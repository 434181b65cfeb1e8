import { basename } from 'node:path'
import type { ZodType } from 'zod'
import { crossFaults, isOwnSpec } from './cross-checks.ts'
import { createDocument, type Fault, type LocatedDocument, type ParsedText, type Place, placeInText, type ValuePath } from './document.ts'
import { parseJsonText } from './json-text.ts'
import { nearestName } from './nearest.ts'
import { knownFields, namePattern, nameWords, ownSpecSchema, specSchema } from './schema.ts'
import { describeValue, formatPath, toFaults, valueAt } from './schema-faults.ts'
import type { SpriteSpec } from './spec.ts'
import { checkSpecSize, type SpecIssue, specError, specName } from './spec-file.ts'
import { type NamesIn, toOwnSpec, toSpec } from './to-spec.ts'
import { parseYamlText } from './yaml-text.ts'

/**
 * Parses one spec.
 *
 * @param file Absolute path. Its ending chooses JSON (comments and trailing commas allowed) or YAML. Its stem
 * is the sprite's name.
 * @param shownAs The file's name in messages, e.g. its path from the project's root.
 * @default file
 * @returns The spec with all defaults. Its animations are in the order of the file. A spec of own art has no
 * animations before its source is read.
 * @throws `SW_SPEC` with facts `{ file, issues }`: all issues as {@link SpecIssue}, in the order of the text.
 * Broken syntax is one issue.
 */
export function parseSpec(text: string, file: string, shownAs: string = file): SpriteSpec {
  checkSpecSize(Buffer.byteLength(text), file, shownAs, 'more')
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const parsed = parseSpecText(source, file)
  if ('broken' in parsed) throw specError(file, shownAs, [toIssue(parsed.broken, placeInText(source, parsed.broken.offset ?? 0))])
  const document = createDocument(source, parsed.root)
  const name = specName(file) ?? ''
  const read = <T>(schema: ZodType<T>, make: (name: string, file: string, data: T, namesIn: NamesIn) => SpriteSpec) => {
    const { data, error } = schema.safeParse(document.value)
    return error ? { issues: error.issues } : { spec: make(name, file, data, (field) => document.keysOf([field])) }
  }
  const { spec, issues = [] } = isOwnSpec(document.value) ? read(ownSpecSchema, toOwnSpec) : read(specSchema, toSpec)
  const faults: Fault[] = [...document.faults, ...crossFaults(document.value, name)]
  if (!namePattern.test(name))
    faults.push({ path: [], offset: 0, expected: `a file NAME.sprite.json, .yaml or .yml, NAME being ${nameWords}`, found: basename(file) })
  faults.push(...toFaults(issues, document.value, (path) => unknownFieldWords(path, document.value)))
  if (!spec || faults.length > 0) throw specError(file, shownAs, toIssues(faults, document))
  return spec
}

/**
 * The place of a part in a spec's text, or of the nearest part around it. Returns `undefined` if the syntax
 * is broken.
 */
export function placeInSpec(text: string, file: string, path: ValuePath): Place | undefined {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const parsed = parseSpecText(source, file)
  return 'broken' in parsed ? undefined : createDocument(source, parsed.root).placeOf({ path })
}

function parseSpecText(text: string, file: string): ParsedText {
  return /\.ya?ml$/.test(file) ? parseYamlText(text) : parseJsonText(text)
}

function toIssues(faults: readonly Fault[], document: LocatedDocument): SpecIssue[] {
  return faults.map((fault) => toIssue(fault, document.placeOf(fault))).sort((a, b) => a.line - b.line || a.column - b.column)
}

function toIssue(fault: Fault, place: Place): SpecIssue {
  const path = formatPath(fault.path)
  const message = `${path === '' ? '' : `${path}: `}expected ${fault.expected}, found ${fault.found}`
  return { line: place.line, column: place.column, path, expected: fault.expected, found: fault.found, message }
}

function unknownFieldWords(path: ValuePath, value: unknown): string {
  const name = String(path.at(-1))
  const isVideo = /^videos?$/i.test(name) || (/^operation$/i.test(name) && /video/i.test(describeValue(valueAt(value, path))))
  if (isVideo) return "no such field, since the service's interface does not show video"
  const isOwn = isOwnSpec(value)
  const fieldsOf = (of: ValuePath): readonly string[] => knownFields(of, isOwn)
  const known = fieldsOf(path.slice(0, -1))
  if (!known.includes(name) && knownFields(path.slice(0, -1), !isOwn).includes(name))
    return isOwn ? 'no such field beside "source", since own art is never bought' : 'no such field without "source"'
  if (path[0] === 'pictures' || (path[0] === 'reference' && path[1] === 'steps'))
    return `no second field in a step, which takes one of ${known.join(', ')}`
  if (path[0] === 'size' && known.includes(name)) return '{ "width", "height" } or { "figure" }, not both'
  const near = nearestName(name, known)
  if (near !== undefined) return `a known field (did you mean "${near}"?)`
  if (path.length === 1 && fieldsOf(['animations', '']).includes(name)) return `"${name}" inside an animation (animations.NAME.${name})`
  if (path.length > 1 && fieldsOf([]).includes(name)) return `"${name}" at the top of the spec`
  return known.length === 0 ? 'no such field' : `one of ${known.join(', ')}`
}
