import { SpritewrightError } from '../../errors.ts'
import { type Inventory, idsOf } from './inventory.ts'
import type { QuarantinedCopy, StoredResult } from './reports.ts'

/** The meaning of one name on a command line. */
export interface Selection {
  readonly name: string
  /** Whether it is a hash. If so, exactly one result is meant. */
  readonly isHash: boolean
  readonly results: readonly StoredResult[]
  readonly quarantined: readonly QuarantinedCopy[]
}

/** The fewest digits of a hash in a name, so that no word is taken for one by chance. */
const shortest = 8

/**
 * Parses names: `hero` for a sprite, `hero.walk` and `hero#2` for one part of it, a hash or its first digits
 * for one result, `HASH.MARK` for a quarantined copy.
 *
 * @throws `SW_USAGE` for an unknown name, and for digits with which several hashes begin.
 */
export function selectByNames(inventory: Inventory, names: readonly string[]): readonly Selection[] {
  return names.map((name) => {
    const results = inventory.results.filter((result) => result.uses.some(({ id }) => isNamed(id, name)))
    if (results.length > 0) return { name, isHash: false, results, quarantined: [] }
    return selectByHash(inventory, name)
  })
}

/** The results of names, each once. Without names, all of them. */
export function narrow(inventory: Inventory, names: readonly string[]): readonly StoredResult[] {
  if (names.length === 0) return inventory.results
  const wanted = new Set(selectByNames(inventory, names).flatMap((one) => one.results))
  return inventory.results.filter((result) => wanted.has(result))
}

function isNamed(id: string, name: string): boolean {
  return id === name || id.startsWith(`${name}.`) || id.startsWith(`${name}#`)
}

function selectByHash(inventory: Inventory, name: string): Selection {
  const isHash = new RegExp(`^[0-9a-f]{${shortest},64}$`).test(name)
  const isMark = new RegExp(`^[0-9a-f]{${shortest},64}\\.[0-9a-f]{8}$`).test(name)
  const results = isHash ? inventory.results.filter((result) => result.sha256.startsWith(name)) : []
  const [head = '', mark = ''] = name.split('.')
  const quarantined = isMark ? inventory.quarantined.filter((copy) => copy.name.startsWith(head) && copy.name.endsWith(`.${mark}`)) : []
  const found = results.length + quarantined.length
  if (found === 1) return { name, isHash: true, results, quarantined }
  if (found > 1) {
    throw new SpritewrightError('SW_USAGE', {
      message: `${JSON.stringify(name)} is the beginning of ${found} hashes. Give more digits of the one that you mean; npx spritewright store ls --json has all of them.`,
      facts: { name, found },
    })
  }
  const known = [...new Set(inventory.results.flatMap(idsOf))]
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected the name of a result, or at least ${shortest} digits of its hash, found ${JSON.stringify(name)}. ${known.length === 0 ? 'There are no results yet.' : `There are: ${known.slice(0, 40).join(', ')}. All of them: npx spritewright store ls`}`,
    facts: { name },
  })
}
