import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../../src/host/disk.ts'
import { publish } from '../../src/host/publish.ts'
import { FaultDisk } from '../kit/fault-disk.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { seededChance } from './seeded/chance.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (found: Uint8Array | undefined): string | undefined => (found ? new TextDecoder().decode(found) : undefined)

/** A disk with the folder `/a`, durable. */
function disk(options: ConstructorParameters<typeof FaultDisk>[0] = {}): FaultDisk {
  const made = new FaultDisk(options)
  made.put('/a/old', 'old')
  return made
}

describe('what a crash may leave', () => {
  test('bytes that were not synced are gone though their name is safe', async () => {
    const made = disk()
    await made.writeTemp('/a/new', bytes('news'))
    await made.syncFolder('/a')
    made.crash('nothing')
    expect(text(made.peek('/a/new'))).toBe('')
  })

  test('a name that was not synced is gone though its bytes are safe', async () => {
    const made = disk()
    await made.writeTemp('/a/new', bytes('news'))
    await made.sync('/a/new')
    made.crash('nothing')
    expect(made.paths()).toEqual(['/a/old'])
  })

  test('with both synced all is there; with everything kept, also what was not synced', async () => {
    const made = disk()
    await made.writeTemp('/a/safe', bytes('safe'))
    await made.sync('/a/safe')
    await made.syncFolder('/a')
    await made.writeTemp('/a/lucky', bytes('lucky'))
    made.crash('everything')
    expect([text(made.peek('/a/safe')), text(made.peek('/a/lucky'))]).toEqual(['safe', 'lucky'])
  })

  test('the name of a new folder lies in the folder above, and is lost with all in it', async () => {
    const made = disk()
    await made.makeFolder('/a/b/c')
    await made.writeTemp('/a/b/c/file', bytes('x'))
    await made.sync('/a/b/c/file')
    await made.syncFolder('/a/b/c')
    await made.syncFolder('/a/b')
    made.crash('nothing')
    expect(made.paths()).toEqual(['/a/old'])
  })

  test('a removal that was not synced comes back', async () => {
    const made = disk()
    await made.remove('/a/old')
    made.crash('nothing')
    expect(text(made.peek('/a/old'))).toBe('old')
  })

  test('a rename over two folders is never half done', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const made = disk()
      await made.makeFolder('/b')
      await made.syncFolder('/')
      await made.move('/a/old', '/b/old')
      made.crash(seededChance(seed))
      expect(made.paths()).toHaveLength(1)
    }
  })

  test('chance keeps a prefix of the writes, torn at any byte, and a prefix of the names', async () => {
    const lengths = new Set<number>()
    const names = new Set<string>()
    for (let seed = 0; seed < 300; seed++) {
      const made = disk()
      await made.writeTemp('/a/1', bytes('12345'))
      await made.writeTemp('/a/2', bytes('12345'))
      made.crash(seededChance(seed))
      names.add(made.paths('/a').join())
      const found = made.peek('/a/1')
      if (found && !found.includes(0)) lengths.add(found.length)
    }
    expect([...lengths].sort()).toEqual([0, 1, 2, 3, 4, 5])
    expect([...names].sort()).toEqual(['/a/1,/a/2,/a/old', '/a/1,/a/old', '/a/old'])
  })

  test('the same seed leaves the same', async () => {
    const left = async (): Promise<string[]> => {
      const made = disk()
      for (let file = 0; file < 20; file++) await made.writeTemp(`/a/${file}`, bytes('something'))
      made.crash(seededChance('seed'))
      return made.paths().map((path) => `${path} ${text(made.peek(path))}`)
    }
    expect(await left()).toEqual(await left())
  })

  test('after a failed sync the bytes are lost by the next crash, whatever was synced later', async () => {
    const made = disk()
    await made.writeTemp('/a/new', bytes('news'))
    made.plan({ call: 'sync', code: 'EIO' })
    await expect(made.sync('/a/new')).rejects.toMatchObject({ code: 'EIO' })
    await made.sync('/a/new')
    await made.syncFolder('/a')
    expect(text(made.peek('/a/new'))).toBe('news')
    made.crash('everything')
    expect(text(made.peek('/a/new'))).toBe('')
  })

  test('a bit that flipped stays flipped', () => {
    const made = disk()
    made.rot('/a/old', 0)
    made.crash('nothing')
    expect(text(made.peek('/a/old'))).toBe('nld')
  })
})

describe('what may fail', () => {
  test('the n-th call of a kind, as often as planned, under the planned code', async () => {
    const made = disk()
    made.plan({ call: 'writeTemp', path: '/a/', at: 2, times: 2, code: 'EACCES' })
    const codes: unknown[] = []
    for (let file = 0; file < 4; file++)
      codes.push(
        await made.writeTemp(`/a/${file}`, bytes('x')).then(
          () => 'ok',
          (error: { code: string }) => error.code,
        ),
      )
    expect(codes).toEqual(['ok', 'EACCES', 'EACCES', 'ok'])
    expect(made.injected).toBe(2)
  })

  test('a full disk leaves a part of a file', async () => {
    const made = disk()
    made.plan({ call: ['writeTemp', 'append'], code: 'ENOSPC', partly: 0.5, times: 2 })
    await expect(made.writeTemp('/a/new', bytes('1234'))).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(made.append('/a/old', bytes('1234'))).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([text(made.peek('/a/new')), text(made.peek('/a/old'))]).toEqual(['12', 'old12'])
  })

  test('where there are no hard links a copy has one winner and may be left half', async () => {
    const made = disk({ hasLinks: false })
    await made.writeTemp('/a/temp', bytes('1234'))
    await made.link('/a/temp', '/a/one')
    await expect(made.link('/a/temp', '/a/one')).rejects.toMatchObject({ code: 'EEXIST' })
    made.plan({ call: 'link', code: 'ENOSPC', partly: 0.25 })
    await expect(made.link('/a/temp', '/a/two')).rejects.toMatchObject({ code: 'ENOSPC' })
    expect([text(made.peek('/a/one')), text(made.peek('/a/two'))]).toEqual(['1234', '1'])
  })

  test('where a link fails outright, nothing is published and no temporary file stays', async () => {
    const made = disk()
    made.plan({ call: 'link', code: 'EXDEV' })
    await expect(publish(made, countingRandom(), '/a/new', bytes('x'))).rejects.toMatchObject({ code: 'EXDEV' })
    expect(made.paths()).toEqual(['/a/old'])
  })
})

describe('it behaves as the file system of this machine does', () => {
  const outcome = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => (value instanceof Uint8Array ? text(value) : value),
      (error: { code: string }) => error.code,
    )

  /** Runs one script of calls. Each result is the call's value or the code of its error. */
  async function script(on: Disk, root: string): Promise<unknown[]> {
    const at = (path: string): string => `${root}/${path}`
    const file = async (path: string): Promise<unknown> => {
      const found = await on.stat(at(path))
      return found && { bytes: found.bytes, isFolder: found.isFolder }
    }
    const steps: readonly (() => Promise<unknown>)[] = [
      () => on.read(at('none')),
      () => on.list(at('none')),
      () => file('none'),
      () => on.writeTemp(at('no/folder'), bytes('x')),
      () => on.makeFolder(at('f/g')),
      () => on.makeFolder(at('f/g')),
      () => on.writeTemp(at('f/one'), bytes('one')),
      () => on.writeTemp(at('f/one'), bytes('again')),
      () => on.makeFolder(at('f/one')),
      () => on.list(at('f/one')),
      () => on.append(at('f/one'), bytes('!')),
      () => on.append(at('f/two'), bytes('two')),
      () => on.append(at('f/g'), bytes('two')),
      () => on.sync(at('f/one')),
      () => on.sync(at('f/none')),
      () => on.link(at('f/one'), at('f/g/one')),
      () => on.link(at('f/two'), at('f/g/one')),
      () => on.link(at('f/none'), at('f/g/none')),
      () => on.append(at('f/g/one'), bytes('?')),
      () => on.read(at('f/one')),
      () => on.move(at('f/two'), at('f/g/one')),
      () => on.move(at('f/two'), at('f/g/one')),
      () => on.read(at('f/g/one')),
      () => on.read(at('f/g')),
      () => file('f'),
      () => file('f/one'),
      () => on.syncFolder(at('f')),
      () => on.syncFolder(at('none')),
      () => on.list(at('f')),
      () => on.remove(at('none')),
      () => on.remove(at('f/g')),
      () => on.list(at('f')),
    ]
    const answers: unknown[] = []
    for (const step of steps) answers.push(await outcome(step()))
    return answers
  }

  test('answers and errors of a long script are the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fault-disk-'))
    try {
      const simulated = disk()
      await simulated.makeFolder('/project')
      expect(await script(simulated, '/project')).toEqual(await script(nodeDisk(), folder))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
