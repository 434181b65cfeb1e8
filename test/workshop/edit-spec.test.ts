import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import type { SpecEditReport, SpecEditRequest, Workshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { windowsTexts } from '../kit/windows-texts.ts'
import { type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const file = '/game/sprites/hero.sprite.json'
const text =
  '{\n  // The hero of the game.\n  "reference": "./hero.png",\n  "prompt": "a knight",\n  "animations": { "walk": { "frames": 7 } }\n}\n'

interface Desk {
  readonly world: SimulatedWorld
  readonly workshop: Workshop
  /** The text of the spec now. */
  now(): string
  /** Edits the spec as it is now, unless a digest is given. */
  edit(edits: ReturnType<SpecEditRequest['edit']>, own?: Partial<SpecEditRequest>): Promise<SpecEditReport>
  undo(digest?: string): Promise<SpecEditReport>
  pictures(): readonly string[]
}

async function desk(spec = text): Promise<Desk> {
  const world = await simulatedWorld(0)
  world.write('sprites/hero.sprite.json', spec)
  world.write('sprites/hero.png', figurePng(1))
  const workshop = await world.workshop()
  const digest = (): string => sha256(world.disk.files.get(file) ?? new Uint8Array())
  return {
    world,
    workshop,
    now: () => new TextDecoder().decode(world.disk.files.get(file)),
    edit: (edits, own) => workshop.editSpec({ sprite: 'hero', digest: digest(), edit: () => edits, ...own }),
    undo: (own) => workshop.undoSpecEdit({ sprite: 'hero', digest: own ?? digest() }),
    pictures: () => [...world.disk.files.keys()].filter((path) => /\.(png|jpg|webp)$/.test(path)).sort(),
  }
}

const fps = (value: number) => [{ path: ['animations', 'walk', 'fps'], value }]

describe('an edit', () => {
  test('changes its field and no other byte, and returns the new digest', async () => {
    const { edit, now } = await desk()
    const report = await edit(fps(9))
    expect(JSON.parse(now().replace(/\/\/.*/, ''))).toMatchObject({ prompt: 'a knight', animations: { walk: { frames: 7, fps: 9 } } })
    expect(now()).toContain('// The hero of the game.')
    expect(report).toEqual({ file, digest: sha256(new TextEncoder().encode(now())) })
  })

  test('is made for the spec that it names, read anew', async () => {
    const { workshop, world } = await desk()
    let seen: unknown
    const digest = sha256(world.disk.files.get(file) ?? new Uint8Array())
    await workshop.editSpec({
      sprite: 'hero',
      digest,
      edit: (spec) => {
        seen = [spec.name, spec.file, spec.animations.map(({ name }) => name)]
        return []
      },
    })
    expect(seen).toEqual(['hero', file, ['walk']])
  })

  test('of a file that has changed since, or of no such sprite, writes nothing', async () => {
    const { edit, now } = await desk()
    await expect(edit(fps(9), { digest: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'SW_CHANGED', facts: { file } })
    for (const sprite of ['heroine', 'Hero', 'her'])
      await expect(edit(fps(9), { sprite })).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name: sprite } })
    expect(now()).toBe(text)
  })

  test('of one of two specs of one name writes nothing', async () => {
    const { edit, now, world } = await desk()
    world.write('sprites/sub/hero.sprite.json', text)
    world.write('sprites/sub/hero.png', figurePng(1))
    await expect(edit(fps(9))).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect(now()).toBe(text)
  })

  test('that would leave no valid spec writes nothing, no picture either', async () => {
    const { edit, now, pictures } = await desk()
    const before = pictures()
    await expect(edit(fps(-1))).rejects.toMatchObject({ code: 'SW_SPEC' })
    await expect(edit(fps(-1), { picture: figurePng(2) })).rejects.toMatchObject({ code: 'SW_SPEC' })
    expect([now(), pictures()]).toEqual([text, before])
  })

  test('that somebody overtakes while it is written is refused, and leaves no file behind', async () => {
    const { world, workshop, now } = await desk()
    const digest = sha256(world.disk.files.get(file) ?? new Uint8Array())
    const other = text.replace('a knight', 'a queen')
    const edit = workshop.editSpec({
      sprite: 'hero',
      digest,
      edit: () => {
        world.write('sprites/hero.sprite.json', other)
        return fps(9)
      },
    })
    await expect(edit).rejects.toMatchObject({ code: 'SW_CHANGED' })
    expect(now()).toBe(other)
    expect([...world.disk.files.keys()].filter((path) => path.includes('.tmp'))).toEqual([])
  })

  test('waits for the one before it, also for one that fails', async () => {
    const { edit, now, world } = await desk()
    const digest = sha256(world.disk.files.get(file) ?? new Uint8Array())
    const both = await Promise.allSettled([edit(fps(9), { digest }), edit(fps(10), { digest })])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(now()).toContain('9')
    await edit(fps(11))
    expect(now()).toContain('11')
  })
})

describe('another picture', () => {
  const referenceOf = (spec: string): string => /"reference": "(.*?)"/.exec(spec)?.[1] ?? ''

  test('gets the first free name beside the spec, becomes the reference, and keeps the old one', async () => {
    const { edit, now, pictures } = await desk()
    await edit([], { picture: figurePng(2) })
    expect(referenceOf(now())).toBe('./hero-2.png')
    await edit([], { picture: figurePng(3) })
    expect(referenceOf(now())).toBe('./hero-3.png')
    expect(pictures()).toEqual(['hero', 'hero-2', 'hero-3'].map((name) => `/game/sprites/${name}.png`).sort())
  })

  test('that is there already keeps its name', async () => {
    const { edit, now, pictures } = await desk()
    await edit([], { picture: figurePng(2) })
    await edit([], { picture: figurePng(1) })
    expect(referenceOf(now())).toBe('./hero.png')
    expect(pictures()).toHaveLength(2)
  })

  test('comes with other edits in one write', async () => {
    const { edit, now, undo } = await desk()
    await edit([{ path: ['prompt'], value: 'a queen' }], { picture: figurePng(2) })
    expect([referenceOf(now()), now().includes('a queen')]).toEqual(['./hero-2.png', true])
    await undo()
    expect(now()).toBe(text)
  })

  test('that is none is refused, as is one for a chain of steps', async () => {
    const { edit, pictures } = await desk()
    await expect(edit([], { picture: new Uint8Array([1, 2, 3]) })).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { sprite: 'hero' },
    })
    const chain = JSON.stringify({ reference: { steps: [{ text: 'x' }] }, prompt: 'x', animations: { walk: { frames: 7 } } })
    const chained = await desk(chain)
    await expect(chained.edit([], { picture: figurePng(2) })).rejects.toMatchObject({ code: 'SW_USAGE', facts: { file } })
    expect([pictures().length, chained.pictures().length, chained.now()]).toEqual([1, 1, chain])
  })
})

describe('undoing', () => {
  test('is no edit: after the last one there is nothing to undo', async () => {
    const { edit, undo, now } = await desk()
    await edit(fps(9))
    await undo()
    await expect(undo()).rejects.toMatchObject({ code: 'SW_USAGE', facts: { file } })
    expect(now()).toBe(text)
  })

  test('goes back edit by edit, byte for byte, to the first one', async () => {
    const { edit, undo, now } = await desk()
    const texts = [text]
    for (const value of [9, 10, 11]) {
      await edit(fps(value))
      texts.push(now())
    }
    for (const before of texts.slice(0, -1).reverse()) {
      await undo()
      expect(now()).toBe(before)
    }
    await edit(fps(9))
    await undo()
    expect(now()).toBe(text)
  })

  test('of a file that nobody edited here, or that has changed since, is refused', async () => {
    const { edit, undo, now, world } = await desk()
    await expect(undo()).rejects.toMatchObject({ code: 'SW_USAGE', facts: { file } })
    const { digest } = await edit(fps(9))
    world.write('sprites/hero.sprite.json', text.replace('a knight', 'a queen'))
    await expect(undo(digest)).rejects.toMatchObject({ code: 'SW_CHANGED' })
    await expect(undo()).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect(now()).toContain('a queen')
  })

  test('of a spec as Windows writes it changes nothing but the field, and writes UTF-8', async () => {
    for (const [form, bytes] of windowsTexts(text)) {
      const { world, edit, now } = await desk()
      world.disk.files.set(file, bytes)
      await edit(fps(9))
      const lines = text.replaceAll('\n', '\r\n')
      expect([form, now()]).toEqual([form, lines.replace('{ "frames": 7 }', '{ "frames": 7, "fps": 9 }')])
    }
  })

  test('keeps a mark of byte order at the start', async () => {
    const { edit, undo, now } = await desk(`\ufeff${text}`)
    const before = now()
    await edit(fps(9))
    await undo()
    expect(now()).toBe(before)
  })
})
