/** Whether a field may stand as it is, where it is there: what the schemas check, in plain code for what is plainly in order. */
export type Check = (value: unknown) => boolean

/** `true` or `false`. */
export const isFlag: Check = (value) => typeof value === 'boolean'

/** A text that says something. */
export const isWords: Check = (value) => typeof value === 'string' && /\S/.test(value)

/** A number from the one to the other, both included. */
export function isNumber(value: unknown, minimum: number, maximum: number): value is number {
  return typeof value === 'number' && value >= minimum && value <= maximum
}

/** A whole number, likewise. */
export function isWhole(value: unknown, minimum: number, maximum: number): value is number {
  return isNumber(value, minimum, maximum) && Number.isInteger(value)
}

/** A list without holes, of so many items that each pass. */
export function isList(value: unknown, minimum: number, maximum: number, isItem: Check): value is readonly unknown[] {
  // Spread, since `every` leaves out the holes of a list.
  return Array.isArray(value) && value.length >= minimum && value.length <= maximum && [...value].every(isItem)
}
