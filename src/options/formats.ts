import { z } from 'zod'
import { formatNames, isFormatName, type PageFormat, pageFormats } from '../../atlas/format-abilities.ts'
import type { EngineFormat } from '../../atlas/formats/format.ts'
import { nearestName } from '../sprite-spec/nearest.ts'

const ownFormatWords = 'or a format of your own: { name: "my-format", write(atlases) { ... } }'
const ownNameWords = 'a name of its own in small letters, digits and hyphens, a letter first'
const encodingNames = pageFormats.map((name) => `"${name}"`)

/** The allowed values of `atlas.format`, in words. */
export const encodingWords: string = `${encodingNames.join(', ')}, or a list of several, each once`
/** One encoding of pages. */
export const encoding: z.ZodEnum<{ [Name in PageFormat]: Name }> = z.enum(pageFormats, { error: `one of ${encodingNames.join(', ')}` })
/** Several encodings of pages. */
export const encodings: z.ZodType<PageFormat[]> = z
  .array(encoding, { error: encodingWords })
  .min(1, { error: 'at least one encoding' })
  .refine((list) => new Set(list).size === list.length, { error: 'each encoding once' })

/** Faults in entries of `formats`, by index. */
export function formatFaults(list: readonly unknown[]): Map<number, { path: readonly string[]; words: string }> {
  const faults = new Map<number, { path: readonly string[]; words: string }>()
  const taken = new Set<string>(formatNames)
  for (const [at, entry] of list.entries()) {
    if (typeof entry === 'string' && isFormatName(entry)) continue
    if (!isOwnFormat(entry)) faults.set(at, { path: [], words: formatWords(entry) })
    else if (!/^[a-z][a-z0-9-]{0,39}$/.test(entry.name) || taken.has(entry.name)) faults.set(at, { path: ['name'], words: ownNameWords })
    else if (entry.pages !== undefined && entry.pages !== 'beside' && entry.pages !== 'pixels')
      faults.set(at, { path: ['pages'], words: '"beside" or "pixels"' })
    else if (entry.draws !== undefined && !encodings.safeParse(entry.draws).success)
      faults.set(at, { path: ['draws'], words: `a list of encodings: ${encodingNames.join(', ')}` })
    else taken.add(entry.name)
  }
  return faults
}

function isOwnFormat(entry: unknown): entry is EngineFormat {
  const { name, write } = (typeof entry === 'object' && entry !== null ? entry : {}) as { name?: unknown; write?: unknown }
  return typeof name === 'string' && typeof write === 'function'
}

function formatWords(entry: unknown): string {
  const near = typeof entry === 'string' ? nearestName(entry, formatNames) : undefined
  return near === undefined ? `one of ${formatNames.join(', ')}, ${ownFormatWords}` : `a known format (did you mean "${near}"?)`
}
