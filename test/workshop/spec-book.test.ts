import { expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import type { Context } from '../../src/project/context.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { createSpecReader } from '../../src/workshop/live/spec-book.ts'
import { guarded } from '../kit/guarded-disk.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { specOf } from '../sim/two-machines.ts'

const at = (name: string): string => `/game/sprites/${name}`
const spec = (name: string): string => at(`${name}.sprite.json`)

/** A book of three specs, of which two share a picture. What it reads and finds is noted. */
function shelf() {
  const disk = new MemoryDisk()
  const [calls, locked] = [[] as string[], new Set<string>()]
  const write = (path: string, content: string | Uint8Array): void =>
    void disk.files.set(path, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  const short = (path: string): string => path.replace('/game/sprites/', '').replace('.sprite.json', '')
  const host = {
    disk: guarded(disk, (call) => {
      const [name, path = ''] = call.split(' ')
      if (name === 'read') calls.push(short(path))
      if (name === 'read' && locked.has(path)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      return undefined
    }),
    glob: async () => {
      calls.push('find')
      return [...disk.files.keys()].filter((path) => path.endsWith('.sprite.json')).sort()
    },
  }
  const ownFiles = new Set<string>()
  const book = createSpecReader({ host, options: { root: '/game', specs: ['**'] }, ownFiles } as unknown as Context)
  write(at('one.png'), figurePng(1))
  write(at('two.png'), figurePng(2))
  for (const [name, picture] of [
    ['ant', 'one'],
    ['bee', 'one'],
    ['cat', 'two'],
  ] as const)
    write(spec(name), specOf(name, picture))
  let before: readonly SpriteSpec[] = []
  /** Reads, and returns the calls, the names of the specs, those that are other objects than before, and the codes of errors. */
  const look = async (...changed: readonly (string | undefined)[]): Promise<unknown> => {
    calls.length = 0
    const { specs, errors, digests } = await book.read(changed.includes(undefined) ? undefined : (changed as string[]))
    const fresh = specs.filter((one) => !before.includes(one)).map(({ name }) => name)
    before = specs
    for (const [file, digest] of digests) expect([file, digest]).toEqual([file, sha256(disk.files.get(file) ?? new Uint8Array())])
    return [
      calls.join(' '),
      specs.map(({ name }) => name).join(' '),
      fresh.join(' '),
      errors.map(({ code }) => code).join(' '),
      digests.size,
    ]
  }
  const wanted = async (): Promise<unknown> => {
    calls.length = 0
    const { wanted, errors } = await book.wanted(before)
    return [calls.join(' '), wanted.map((one) => `${one.spec.name} ${'picture' in one}`).join(), errors.map(({ code }) => code).join(' ')]
  }
  return { disk, locked, write, look, wanted, book }
}

test('a book reads what has changed and nothing else, and a spec of the same content stays the same', async () => {
  const { disk, locked, write, look } = shelf()
  expect(await look(at('one.png'))).toEqual(['find ant bee cat', 'ant bee cat', 'ant bee cat', '', 3])
  expect(await look()).toEqual(['', 'ant bee cat', '', '', 3])
  expect(await look(at('one.png'), '/game/src/main.ts')).toEqual(['', 'ant bee cat', '', '', 3])
  write(spec('bee'), `${specOf('bee', 'one')}\n`)
  expect(await look(spec('bee'))).toEqual(['bee', 'ant bee cat', '', '', 3])
  write(spec('bee'), specOf('wasp', 'one'))
  expect(await look(spec('bee'), spec('cat'))).toEqual(['bee cat', 'ant bee cat', 'bee', '', 3])
  write(spec('dog'), specOf('dog', 'two'))
  expect(await look(spec('dog'))).toEqual(['find dog', 'ant bee cat dog', 'dog', '', 4])
  write(spec('dog'), '{')
  expect(await look(spec('dog'))).toEqual(['dog', 'ant bee cat', '', 'SW_SPEC', 4])
  locked.add(spec('cat'))
  expect(await look(spec('cat'))).toEqual(['cat find cat', 'ant bee', '', 'SW_DISK SW_SPEC', 3])
  // Nobody says when it can be read again.
  expect(await look(at('one.png'))).toEqual(['cat find cat', 'ant bee', '', 'SW_DISK SW_SPEC', 3])
  locked.clear()
  expect(await look(at('one.png'))).toEqual(['cat', 'ant bee cat', 'cat', 'SW_SPEC', 4])
  disk.files.delete(spec('dog'))
  expect(await look(spec('dog'))).toEqual(['dog find', 'ant bee cat', '', '', 3])
  expect(await look(undefined)).toEqual(['find ant bee cat', 'ant bee cat', '', '', 3])
})

test('a book reads a picture once, and again after a change of it or of what nobody knows', async () => {
  const { write, look, wanted } = shelf()
  const all = 'ant false,bee false,cat false'
  await look(undefined)
  expect(await wanted()).toEqual(['one.png two.png', all, ''])
  expect(await wanted()).toEqual(['', all, ''])
  await look(at('one.png'))
  expect(await wanted()).toEqual(['one.png', all, ''])
  await look(at('other.png'))
  expect(await wanted()).toEqual(['', all, ''])
  write(spec('cat'), specOf('lion', 'two'))
  await look(spec('cat'))
  expect(await wanted()).toEqual(['two.png', all, ''])
  await look(undefined)
  expect(await wanted()).toEqual(['one.png two.png', all, ''])
})
