import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createLockStore } from '../../src/vault/lock-store.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { createProject, figurePng, heroSpec } from './project.ts'
import { quickMakers } from './quick-makers.ts'

/** Writes of lock files, in the order of the steps. */
export interface LockWrites {
  readonly step: 'approve' | 'buy'
  readonly files: number
  readonly bytes: number
  readonly seconds: number
}

const limits = { windowMs: 1000, post: 10_000, get: 10_000, download: 10_000, activeJobs: 8, streams: 100 }

/**
 * Approves and buys so many sprites of one reference at an embedded service, and counts what is written into
 * `sprites.lock.json` and `sprites.lock/`.
 *
 * @param isBought Whether they are bought, or only approved.
 * @default bought
 * @param isFolder Whether each sprite has a lock file of its own, as after `spritewright merge --split`.
 */
export async function countLockWrites(sprites: number, isFolder: boolean, isBought = true): Promise<readonly LockWrites[]> {
  const names = Array.from({ length: sprites }, (_, index) => `s${String(index).padStart(5, '0')}`)
  const specs = names.map((name) => [`sprites/${name}.sprite.json`, heroSpec().replace('small figure', name)] as const)
  const project = await createProject({ ...Object.fromEntries(specs), 'sprites/hero.png': figurePng() })
  await project.remove('sprites/hero.sprite.json')
  const key = `sw_test_${'k'.repeat(32)}`
  const accounts = [{ name: 'studio', credits: '1000000', keys: [{ key }] }]
  const service = await startEmbeddedService({ jobMs: 0, makers: quickMakers(), limits, accounts })
  const machine = nodeHost()
  const count = { files: 0, bytes: 0 }
  const disk: typeof machine.disk = {
    ...machine.disk,
    writeTemp: async (path, bytes) => {
      if (path.includes('sprites.lock')) {
        count.files++
        count.bytes += bytes.length
      }
      return machine.disk.writeTemp(path, bytes)
    },
  }
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  const host = { ...machine, disk, env, stateFolder: join(project.root, '.state') }
  await mkdir(host.stateFolder, { recursive: true })
  if (isFolder) await createLockStore(host, join(project.root, 'sprites.lock.json')).split()
  const workshop = await createWorkshop({ host, root: project.root, options: { limits } })
  const measured: LockWrites[] = []
  const measure = async (step: LockWrites['step'], work: () => Promise<unknown>): Promise<void> => {
    Object.assign(count, { files: 0, bytes: 0 })
    const begun = performance.now()
    await work()
    measured.push({ step, ...count, seconds: (performance.now() - begun) / 1000 })
  }
  try {
    await measure('approve', () => workshop.approve({ names: [], confirm: async () => true }))
    if (isBought) await measure('buy', () => workshop.build({ buyOnly: true }))
  } finally {
    await workshop.close()
    await service.close()
    await project.remove()
  }
  return measured
}
