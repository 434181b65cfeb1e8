import { basename } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import { crossFaults } from './cross-checks.ts'
import { createDocument, type Fault, type LocatedDocument, type ParsedText, type Place, placeInText, type ValuePath } from './document.ts'
import { parseJsonText } from './json-text.ts'
import { type AnimationFile, namePattern, nameWords, type SpecFile, type StepFile } from './schema.ts'
import { describeValue, formatPath, nearestName, toFaults, valueAt } from './schema-faults.ts'
import type { AnimationSpec, Reference, ReferenceStep, SpriteSpec } from './spec.ts'
import { knownFields, specSchema } from './spec-shape.ts'
import { parseYamlText } from './yaml-text.ts'

/** Largest spec file that is read, in bytes. */
export const maximumSpecBytes: number = 1024 * 1024

/** One thing that is wrong with a spec, with its place; `facts.issues` of a `SW_SPEC` is a list of these. */
export interface SpecIssue extends Place {
  /** `animations.walk.frames`; empty for the file as a whole. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** The whole sentence, without file and place. */
  readonly message: string
}

/** The sprite's name: the file's name before `.sprite.json`, `.sprite.yaml` or `.sprite.yml`. Undefined for any other file. */
export function specName(file: string): string | undefined {
  return /^(.*)\.sprite\.(?:json|yaml|yml)$/.exec(basename(file))?.[1]
}

/**
 * Reads one spec.
 *
 * @param file Absolute path; its ending tells JSON (comments and trailing commas allowed) from YAML, its stem is the sprite's name.
 * @param shownAs How messages name the file, e.g. its path from the project's root. @default file
 * @returns The spec with every default filled in, animations in the order of the file.
 * @throws `SW_SPEC` with facts `{ file, issues }`: every issue by {@link SpecIssue}, in the order of the text. Broken syntax is one issue.
 */
export function parseSpec(text: string, file: string, shownAs: string = file): SpriteSpec {
  if (Buffer.byteLength(text) > maximumSpecBytes) {
    throw specError(file, shownAs, [toIssue({ path: [], expected: 'a spec of at most 1 MiB', found: 'more' }, { line: 1, column: 1 })])
  }
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const parsed = parseSpecText(source, file)
  if ('broken' in parsed) throw specError(file, shownAs, [toIssue(parsed.broken, placeInText(source, parsed.broken.offset ?? 0))])
  const document = createDocument(source, parsed.root)
  const name = specName(file) ?? ''
  const checked = specSchema.safeParse(document.value)
  const faults: Fault[] = [...document.faults, ...crossFaults(document.value)]
  if (!namePattern.test(name))
    faults.push({ path: [], offset: 0, expected: `a file NAME.sprite.json, .yaml or .yml, NAME being ${nameWords}`, found: basename(file) })
  if (!checked.success) faults.push(...toFaults(checked.error.issues, document.value, (path) => unknownFieldWords(path, document.value)))
  if (!checked.success || faults.length > 0) throw specError(file, shownAs, toIssues(faults, document))
  return toSpec(name, file, checked.data, document.keysOf(['animations']))
}

/** Where a part of a spec's text stands, or the nearest part around it; undefined for a text with broken syntax. */
export function placeInSpec(text: string, file: string, path: ValuePath): Place | undefined {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const parsed = parseSpecText(source, file)
  return 'broken' in parsed ? undefined : createDocument(source, parsed.root).placeOf({ path })
}

/** An `SW_SPEC` whose message shows the first five issues, one a line. */
export function specError(file: string, shownAs: string, issues: readonly SpecIssue[]): SpritewrightError {
  const lines = issues.slice(0, 5).map((issue) => `${shownAs}:${issue.line}:${issue.column} ${issue.message}`)
  if (issues.length > 5) lines.push(`... and ${issues.length - 5} more`)
  return new SpritewrightError('SW_SPEC', { message: lines.join('\n'), facts: { file, issues } })
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
  const known = knownFields(path.slice(0, -1))
  const near = nearestName(name, known)
  if (near !== undefined) return `a known field: did you mean "${near}"?`
  if (path.length === 1 && knownFields(['animations', '']).includes(name)) return `"${name}" inside an animation (animations.NAME.${name})`
  if (path.length > 1 && knownFields([]).includes(name)) return `"${name}" at the top of the spec`
  return known.length === 0 ? 'no such field' : `one of ${known.join(', ')}`
}

function toSpec(name: string, file: string, data: SpecFile, order: readonly string[]): SpriteSpec {
  return {
    name,
    file,
    reference: toReference(data.reference),
    prompt: data.prompt,
    background: data.background,
    animations: order.flatMap((key) => {
      const animation = Object.hasOwn(data.animations, key) ? data.animations[key] : undefined
      return animation ? [toAnimation(key, animation)] : []
    }),
    ...(data.size === undefined ? {} : { size: toSize(data.size) }),
    pixelArt: data.pixelArt,
    ...(data.anchor ? { anchor: { x: data.anchor[0], y: data.anchor[1] } } : {}),
    stabilize: data.stabilize,
    trim: data.trim,
    extrude: data.extrude,
    padding: data.padding,
    scales: data.scales,
    atlas: data.atlas,
  }
}

function toAnimation(name: string, data: AnimationFile): AnimationSpec {
  return {
    name,
    prompt: data.prompt ?? name,
    frames: data.frames,
    take: data.take,
    ...(data.options && Object.keys(data.options).length > 0 ? { options: data.options } : {}),
    fps: data.fps,
    loop: data.loop,
    yoyo: data.yoyo,
    ...(data.durations ? { durations: data.durations } : {}),
    ...(data.use ? { use: data.use } : {}),
  }
}

function toSize(size: NonNullable<SpecFile['size']>): NonNullable<SpriteSpec['size']> {
  return typeof size === 'number' ? { kind: 'longest', px: size } : { kind: 'box', width: size.width, height: size.height }
}

/** A chain of one picture and no step after it costs nothing: it is that file. */
function toReference(reference: SpecFile['reference']): Reference {
  if (typeof reference === 'string') return { kind: 'file', path: reference }
  const steps = reference.steps.map(toStep)
  const [first] = steps
  return steps.length === 1 && first?.kind === 'image' ? { kind: 'file', path: first.path } : { kind: 'steps', steps }
}

function toStep(step: StepFile): ReferenceStep {
  if ('text' in step) return { kind: 'text', text: step.text }
  if ('image' in step) return { kind: 'image', path: step.image }
  if ('edit' in step) return { kind: 'edit', prompt: step.edit }
  if ('removeBackground' in step) return { kind: 'removeBackground', prompt: step.removeBackground }
  return { kind: 'upscale', prompt: step.upscale }
}
