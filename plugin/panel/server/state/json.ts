import { formatCredits } from '../../../../src/index.ts'
import type { Json } from '../../../protocol/protocol.ts'

/** The JSON form of plain data. */
export function toJson<T>(value: T): Json<T>
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return formatCredits(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toJson(one)]))
}
