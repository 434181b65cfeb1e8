import { parse as parseYaml } from 'yaml'
import { SpritewrightError } from '../../errors.ts'
import { isRecord } from '../records.ts'

/** A JSON Schema, of which only some keywords are read. */
export type Schema = Readonly<Record<string, unknown>>

/** A parameter of an operation. */
export interface DescribedParameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
}

/** One method of one path. */
export interface DescribedOperation {
  readonly method: string
  /** Path below the base URL, with `{}` for each variable part. */
  readonly path: string
  readonly parameters: readonly DescribedParameter[]
  /** Schema of the body by media type. */
  readonly request: Readonly<Record<string, Schema>>
  readonly isBodyRequired: boolean
  /** By status (`200`, `4XX`, `default`), then by media type. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

/** The parts of an OpenAPI description that are compared. */
export interface Description {
  readonly operations: readonly DescribedOperation[]
  readonly hasBearer: boolean
}

/** Longest description, in characters. */
const maximumLength = 10 * 1024 * 1024
const methods = ['get', 'post', 'put', 'patch', 'delete']

/**
 * Reads an OpenAPI 3.1 (or 3.0) description. It resolves references within the document. Any other reference
 * matches everything.
 *
 * @param file Names it in errors.
 * @throws `SW_USAGE` for any other text.
 */
export function parseDescription(text: string, file: string): Description {
  if (text.length > maximumLength) throw notOpenapi(file, `${text.length} characters`)
  let root: unknown
  try {
    root = /^\s*\{/.test(text) ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 100 })
  } catch (error) {
    throw notOpenapi(file, `a text that is neither JSON nor YAML (${(error as Error).message.split('\n')[0]?.slice(0, 120)})`)
  }
  if (!isRecord(root) || !/^3\.[01]\b/.test(String(root.openapi)) || !isRecord(root.paths))
    throw notOpenapi(
      file,
      isRecord(root) && root.openapi !== undefined
        ? `version ${String(root.openapi).slice(0, 20)}`
        : 'a document without openapi and paths',
    )
  const document = root
  const base = basePath(root)
  const operations = Object.entries(root.paths).flatMap(([path, item]) => toOperations(document, withBase(path, base), item))
  return { operations, hasBearer: hasBearer(root) }
}

function notOpenapi(file: string, found: string): SpritewrightError {
  return new SpritewrightError('SW_USAGE', {
    message: `Expected ${file} to be an OpenAPI 3.1 description in JSON or YAML, found ${found}.`,
    facts: { option: '--openapi', file },
  })
}

/** Path of the first server. It may contain the `/v1` that the paths leave out. */
function basePath({ servers }: Schema): string {
  const [server] = Array.isArray(servers) ? (servers as unknown[]) : []
  const url = isRecord(server) ? String(server.url).replace(/^[a-z]+:\/\/[^/]*/i, '') : ''
  return url.replace(/\/+$/, '')
}

function withBase(path: string, base: string): string {
  const named = path.replace(/\{[^}]*\}/g, '{}').replace(/\/+$/, '')
  if (named.startsWith('/v1/')) return named
  const at = base.lastIndexOf('/v1')
  return at < 0 ? named : `${base.slice(at)}${named}`
}

function toOperations(document: Schema, path: string, given: unknown): DescribedOperation[] {
  const item = resolve(document, given)
  return methods.flatMap((method) => {
    const operation = resolve(document, item[method])
    if (Object.keys(operation).length === 0) return []
    const body = resolve(document, operation.requestBody)
    return [
      {
        method: method.toUpperCase(),
        path,
        parameters: [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) => toParameter(resolve(document, one))),
        request: toContent(document, body.content),
        isBodyRequired: body.required === true,
        responses: Object.fromEntries(
          Object.entries(resolve(document, operation.responses)).map(([status, response]) => [
            status,
            toContent(document, resolve(document, response).content),
          ]),
        ),
      },
    ]
  })
}

function toParameter({ name, in: place, required }: Schema): DescribedParameter {
  return { name: String(name), in: String(place), isRequired: required === true }
}

function toContent(document: Schema, content: unknown): Readonly<Record<string, Schema>> {
  const types = isRecord(content) ? Object.entries(content) : []
  return Object.fromEntries(
    types.map(([type, media]) => [type.split(';')[0]?.trim() ?? type, expand(document, isRecord(media) ? media.schema : {}, 0)]),
  )
}

/**
 * Replaces the references in a schema, at most 12 deep. A recursive schema ends there and matches everything.
 */
function expand(document: Schema, given: unknown, depth: number): Schema {
  if (depth > 12) return {}
  const schema = resolve(document, given)
  const into = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? expand(document, one, depth + 1) : one))
    return isRecord(value) ? expand(document, value, depth + 1) : value
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === 'properties' && isRecord(value))
        return [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, into(one)]))]
      return [name, ['items', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'].includes(name) ? into(value) : value]
    }),
  )
}

/** Resolves a reference within the document. A value that is not an object counts as an empty one. */
function resolve(document: Schema, given: unknown): Schema {
  let value = given
  for (let hops = 0; hops < 20 && isRecord(value) && typeof value.$ref === 'string'; hops++) {
    if (!value.$ref.startsWith('#/')) return {}
    const parts = value.$ref
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    value = parts.reduce<unknown>((at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined), document)
  }
  return isRecord(value) ? value : {}
}

function hasBearer(document: Schema): boolean {
  const { securitySchemes } = resolve(document, document.components)
  const schemes = isRecord(securitySchemes) ? Object.values(securitySchemes).map((scheme) => resolve(document, scheme)) : []
  return schemes.some(({ type, scheme }) => type === 'http' && String(scheme).toLowerCase() === 'bearer')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
