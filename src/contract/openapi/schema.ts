import { isRecord, kindOf } from '../records.ts'
import type { Schema } from './document.ts'

/** The members of an object schema, including those of `allOf` and of every branch of a choice. */
export interface Members {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** Whether further members are forbidden. */
  readonly isClosed: boolean
}

/** Returns the members of a schema; none if it is not an object. */
export function membersOf(schema: Schema): Members {
  const parts = [schema, ...branches(schema.allOf)]
  const choices = [...branches(schema.oneOf), ...branches(schema.anyOf)].filter((choice) => choice.type !== 'null')
  const inner = [...parts.slice(1), ...choices].map(membersOf)
  const own = isRecord(schema.properties) ? (schema.properties as Readonly<Record<string, Schema>>) : {}
  return {
    properties: Object.assign({}, ...inner.map(({ properties }) => properties), own) as Readonly<Record<string, Schema>>,
    required: [...new Set([...textsOf(schema.required), ...(choices.length > 1 ? [] : inner.flatMap(({ required }) => required))])],
    isClosed:
      schema.additionalProperties === false ||
      schema.unevaluatedProperties === false ||
      (choices.length === 1 && inner.some(({ isClosed }) => isClosed)),
  }
}

/** Types that a schema allows, without `null`; empty if it allows all types. */
export function typesOf(schema: Schema): readonly string[] {
  const own = Array.isArray(schema.type) ? textsOf(schema.type) : typeof schema.type === 'string' ? [schema.type] : []
  const inner = [...branches(schema.oneOf), ...branches(schema.anyOf), ...branches(schema.allOf)].flatMap(typesOf)
  const values = 'const' in schema ? [jsonType(schema.const)] : Array.isArray(schema.enum) ? schema.enum.map(jsonType) : []
  return [...new Set(own.length > 0 ? own : [...inner, ...values])].filter((type) => type !== 'null')
}

/** Values that a schema lists in all of its branches; empty if it lists none. */
export function valuesOf(schema: Schema): readonly unknown[] {
  const inner = [...branches(schema.oneOf), ...branches(schema.anyOf), ...branches(schema.allOf)].flatMap(valuesOf)
  return 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? (schema.enum as unknown[]) : inner
}

/** Creates a body that a schema describes, with all of its members or only the required ones. */
export function sampleOf(schema: Schema, size: 'full' | 'least', name = ''): unknown {
  for (const given of ['const', 'example', 'default']) if (given in schema && schema[given] !== null) return schema[given]
  const listed = [
    ...(Array.isArray(schema.examples) ? schema.examples : []),
    ...(Array.isArray(schema.enum) ? schema.enum : []),
  ] as unknown[]
  if (listed.length > 0) return listed[0]
  const choice = [...branches(schema.oneOf), ...branches(schema.anyOf)].find((one) => one.type !== 'null')
  const { properties, required } = membersOf(schema)
  if (Object.keys(properties).length > 0) {
    const names = Object.keys(properties).filter((key) => size === 'full' || required.includes(key))
    return Object.fromEntries(names.map((key) => [key, sampleOf(properties[key] ?? {}, size, key)]))
  }
  if (choice !== undefined) return sampleOf(choice, size, name)
  const [type = 'string'] = typesOf(schema)
  if (type === 'object') return {}
  if (type === 'array') return isRecord(schema.items) && size === 'full' ? [sampleOf(schema.items, size, name)] : []
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 1
  return sampleText(schema, name)
}

function sampleText({ format, pattern }: Schema, name: string): string {
  const texts = ['2.4', '0.24', 'a text', '1', '00000000-0000-4000-8000-000000000001', 'https://api.example.com/v1/image-jobs/1/asset']
  if (format === 'uuid' || /_id$/.test(name)) return texts[4] ?? ''
  if (format === 'uri' || /_url$/.test(name)) return texts[5] ?? ''
  return texts.find((text) => matches(pattern, text)) ?? 'a text'
}

/**
 * Returns complaints about a value under a schema, each with its place. For a choice, the best matching
 * branch counts.
 */
export function schemaFaults(schema: Schema, value: unknown, place = 'the body'): string[] {
  const choices = [...branches(schema.oneOf), ...branches(schema.anyOf)]
  const best = choices.map((choice) => schemaFaults(choice, value, place)).sort((a, b) => a.length - b.length)[0] ?? []
  const faults = [...best, ...branches(schema.allOf).flatMap((part) => schemaFaults(part, value, place))]
  const types = Array.isArray(schema.type) ? textsOf(schema.type) : typeof schema.type === 'string' ? [schema.type] : []
  if (types.length > 0 && !types.some((type) => type === jsonType(value) || (type === 'number' && typeof value === 'number')))
    return [...faults, `${place} must be of type ${types.join(' or ')}, ours is ${kindOf(value)}`]
  const listed = 'const' in schema ? [schema.const] : Array.isArray(schema.enum) ? (schema.enum as unknown[]) : undefined
  if (listed !== undefined && !listed.includes(value))
    faults.push(`${place} must be one of ${JSON.stringify(listed).slice(0, 120)}, ours is another`)
  if (typeof value === 'string' && !matches(schema.pattern, value))
    faults.push(`${place} is to match ${String(schema.pattern).slice(0, 60)}, ours does not`)
  if (isRecord(value)) faults.push(...memberFaults(schema, value, place))
  return faults
}

function memberFaults(schema: Schema, value: Readonly<Record<string, unknown>>, place: string): string[] {
  const at = (name: string): string => (place === 'the body' ? name : `${place}.${name}`)
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const missing = textsOf(schema.required).filter((name) => !Object.hasOwn(value, name))
  const further = schema.additionalProperties === false ? Object.keys(value).filter((name) => !Object.hasOwn(properties, name)) : []
  return [
    ...missing.map((name) => `${at(name)} is required, ours lacks it`),
    ...further.map((name) => `${at(name)} is not allowed, ours has it`),
    ...Object.entries(value).flatMap(([name, one]) => (isRecord(properties[name]) ? schemaFaults(properties[name], one, at(name)) : [])),
  ]
}

function branches(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function matches(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // A pattern in another regular expression dialect cannot be checked here.
    return true
  }
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
