import { join } from 'node:path'
import { z } from 'zod'
import type { Budget } from '../../credit/budget.ts'
import { type Credits, formatCredits, isCreditsText, parseCredits } from '../../credit/credits.ts'
import type { KeyRing } from '../../credit/signing-key.ts'
import { type AcceptedCeilings, areSignedBy, signCeilings } from '../../credit/standing.ts'
import type { Host } from '../../host/host.ts'
import { replaceFile } from '../../host/publish.ts'

const credits = z.string().refine(isCreditsText)
const fileSchema = z.object({
  ceilings: z.object({ perSprite: credits.optional(), perRun: credits.optional(), total: credits.optional() }),
  service: z.object({ host: z.string(), keyMode: z.string() }),
  at: z.string(),
  publicKey: z.string(),
  signature: z.string(),
})

/** The standing ceilings that this user has accepted for one project. */
export interface StandingFile {
  /** Returns `undefined` if no ceilings were accepted with the present signing key. */
  read(): Promise<AcceptedCeilings | undefined>
  accept(ceilings: Budget, service: AcceptedCeilings['service']): Promise<void>
}

/**
 * Opens the file of a project. It is in the user's state folder, because a file in the project could be
 * copied from another project.
 *
 * @param place Names the project on this machine.
 */
export function openStandingFile(
  { disk, random, clock, stateFolder }: Pick<Host, 'disk' | 'random' | 'clock' | 'stateFolder'>,
  keys: KeyRing,
  place: string,
): StandingFile {
  const path = join(stateFolder, 'standing', `${place}.json`)
  return {
    read: async () => {
      if (!(await disk.stat(path))) return undefined
      const accepted = parseAccepted(new TextDecoder().decode(await disk.read(path)))
      const key = await keys.read()
      return accepted && key && areSignedBy(key, place, accepted) ? accepted : undefined
    },
    accept: async (ceilings, service) => {
      const accepted = signCeilings(await keys.readOrMake(), place, { ceilings, service, at: new Date(clock.wall()).toISOString() })
      const text = JSON.stringify({ ...accepted, ceilings: mapBudget(accepted.ceilings, formatCredits) }, null, 2)
      await replaceFile(disk, random, path, new TextEncoder().encode(`${text}\n`))
    },
  }
}

/** Parses the file. Returns `undefined` for a damaged file, which counts as not accepted. */
function parseAccepted(text: string): AcceptedCeilings | undefined {
  try {
    const file = fileSchema.parse(JSON.parse(text))
    return { ...file, ceilings: mapBudget(file.ceilings, (amount): Credits => parseCredits(amount)) }
  } catch {
    return undefined
  }
}

type EachAmount<T> = Readonly<Partial<Record<keyof Budget, T>>>

function mapBudget<A, B>(budget: EachAmount<A | undefined>, map: (amount: A) => B): EachAmount<B> {
  return Object.fromEntries(Object.entries(budget).flatMap(([name, amount]) => (amount === undefined ? [] : [[name, map(amount)]])))
}
