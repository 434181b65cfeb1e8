import { formatCredits } from '../../../src/index.ts'

/** The JSON form of a value: credits are decimal strings, and what is undefined is missing. */
export type Json<T> = T extends bigint
  ? string
  : T extends readonly (infer One)[]
    ? readonly Json<One>[]
    : T extends object
      ? { readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: Json<T[Key]> } & {
          readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Json<T[Key]>
        }
      : T

/** The JSON form of plain data. */
export function toJson<T>(value: T): Json<T>
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return formatCredits(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toJson(one)]))
}
