import type { Context } from '../../project/context.ts'
import { readWantedAnimations } from '../../project/wanted.ts'
import { requestHash } from '../../sprite-spec/key.ts'
import type { ServiceIdentity } from '../../sprite-spec/request.ts'
import { type LockedRequest, unnamedStepId } from '../../vault/lockfile.ts'

/** The name of a request for people: `hero.walk`, `hero#1`. */
export type RequestNames = (hash: string) => string

/**
 * Names each request by the first source that knows a name: the lock file, the ledger, or the specs for a
 * step. If no source knows one, the name is the request's hash.
 */
export async function nameRequests(
  context: Context,
  locked: ReadonlyMap<string, LockedRequest>,
  noted: ReadonlyMap<string, string>,
  hashes: Iterable<string>,
): Promise<RequestNames> {
  const known = (hash: string): string | undefined => locked.get(hash)?.id ?? noted.get(hash)
  const steps = [...hashes].some((hash) => known(hash) === undefined) ? await nameSteps(context, locked) : new Map<string, string>()
  return (hash) => known(hash) ?? steps.get(hash) ?? (locked.has(hash) ? unnamedStepId(hash) : hash.slice(0, 12))
}

/** Ids of all steps of today's specs, under every identity of the lock file. Broken specs name nothing. */
async function nameSteps(context: Context, locked: ReadonlyMap<string, LockedRequest>): Promise<ReadonlyMap<string, string>> {
  const identities = new Map<string, ServiceIdentity>()
  for (const { entry } of locked.values()) identities.set(JSON.stringify(entry.service), entry.service)
  const { wanted } = await readWantedAnimations(context)
  const names = new Map<string, string>()
  for (const target of wanted)
    for (const identity of identities.values())
      for (const step of target.requests(identity).steps) {
        const hash = requestHash(step, identity)
        if (!names.has(hash)) names.set(hash, step.id)
      }
  return names
}
