import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { approveAll, type World, world } from './world.ts'

/** Everything in the state folder, and the records in the store, with permissions in octal. */
async function permissions({ project: { root } }: World): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const walk = async (path: string): Promise<void> => {
    const { mode } = await stat(path)
    found.set(relative(root, path), (mode & 0o777).toString(8))
    if ((mode & 0o40000) !== 0) for (const name of await readdir(path)) await walk(join(path, name))
  }
  for (const place of ['.state', ...['submissions', 'uploads', 'ledger.jsonl', 'checkout.json'].map((part) => join('.spritewright', part))])
    await walk(join(root, place))
  return found
}

const open = (modes: Map<string, string>): string[] => [...modes].filter(([, mode]) => !/^[67]00$/.test(mode)).map(([path]) => path)

describe.skipIf(process.platform === 'win32')('records and the state folder', () => {
  test('are for their owner alone after a purchase: folders 700, files 600', async () => {
    const w = await world()
    await approveAll(await w.workshop())
    await (await w.workshop()).build()
    const modes = await permissions(w)
    expect(open(modes)).toEqual([])
    const names = [...modes.keys()].join('\n')
    for (const part of [/signing-key\.pem$/m, /limits\/salt$/m, /projects\/.*\.json$/m, /ledger\.jsonl$/m, /submissions\/.*0001\.json$/m])
      expect(names).toMatch(part)
    expect(modes.get('.state/signing-key.pem')).toBe('600')
    expect(modes.get('.state')).toBe('700')
  })

  test('of an earlier version become so when a run uses them', async () => {
    const w = await world()
    const before = await w.workshop()
    await approveAll(before)
    await before.build()
    await writeFile(join(w.project.root, '.state', 'settings.json'), '{ "approvers": [] }')
    for (const [path, mode] of await permissions(w)) await chmod(join(w.project.root, path), mode === '700' ? 0o755 : 0o644)
    const { root } = w.project
    await w.project.write(
      'sprites/orc.sprite.json',
      JSON.stringify({ reference: './hero.png', prompt: 'orc', animations: { walk: { frames: 7 } } }),
    )
    const later = await w.workshop()
    await approveAll(later)
    await later.build()
    expect(open(await permissions(w))).toEqual([])
    expect(((await stat(join(root, '.spritewright', 'results'))).mode & 0o077) !== 0 || process.umask() === 0o077).toBe(true)
  })
})
