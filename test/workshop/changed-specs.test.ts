import { describe, expect, test } from 'vitest'
import type { Bitmap } from '../../atlas/index.ts'
import type { Context } from '../../src/project/context.ts'
import type { PlanItem } from '../../src/project/plan.ts'
import type { Survey } from '../../src/project/survey.ts'
import type { WantedAnimation } from '../../src/project/wanted.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import type { ImageRequest, ServiceIdentity } from '../../src/sprite-spec/request.ts'
import { staleOf } from '../../src/workshop/sheets/changed-specs.ts'
import { createPlaceholderMaker } from '../../src/workshop/sheets/placeholders.ts'
import { resultSource, sheetOptions, supersededInput, toInputs } from '../../src/workshop/sheets/sheets.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const specs = ['hero', 'coin'].map((name) =>
  parseSpec(
    JSON.stringify({ reference: `./Café/${name}.png`, prompt: 'x', animations: { walk: {} } }),
    `/game/${name}.sprite.json`,
    `${name}.sprite.json`,
  ),
)

test.each([
  ['as the spec writes it', '/game/Café/hero.png'],
  ['in the case that the disk has it in', '/game/café/Hero.PNG'],
  ['with its accents taken apart', '/game/Cafe\u0301/hero.png'],
  ['of a frame touched up by hand, in another case', '/game/Hero.frames/walk/0001.png'],
])('a picture that has changed leads to its sprite: %s', (_what, path) => {
  expect(staleOf(specs, [path])).toEqual(new Set(['hero']))
})

test('a picture of nobody leads to none, any other file to all', () => {
  expect(staleOf(specs, ['/game/hero.png', '/game/coin.sprite.json'])).toEqual(new Set())
  expect(staleOf(specs, ['/game/Café/hero.png', '/game/sprites.lock.json'])).toBe('all')
})

interface Drawn {
  readonly fields?: object
  readonly animation?: object
  /** Hash of the picture file; the first byte is its only one. */
  readonly picture?: string
  /** Results of the chain's steps, by service. */
  readonly made?: Readonly<Record<string, readonly (string | undefined)[]>>
  readonly lost?: string
  readonly isMarked?: boolean
  /** States and results of the sprite's other animations. */
  readonly bought?: readonly (readonly [state: PlanItem['state'], result: string | undefined, isPicture?: boolean])[]
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function placeholderOf({ fields = {}, animation = {}, picture, made = {}, lost, isMarked = true, bought = [] }: Drawn) {
  const spec = parseSpec(
    JSON.stringify({ reference: './a.png', prompt: 'a hero', animations: { walk: {} }, ...fields }),
    '/game/hero.sprite.json',
  )
  const walk = { ...spec.animations[0]!, ...animation }
  const steps = [1, 2].map((step): ImageRequest => ({ operation: 'text_to_image', id: `hero#${step}`, prompt: `step ${step}`, take: 1 }))
  const entries = Object.entries(made).flatMap(([host, results]) => {
    const service: ServiceIdentity = { host, keyMode: 'test', apiVersion: '1' }
    return steps.map((step, at) => {
      const sha256 = results[at]
      return [requestHash(step, service), { service, asked: { prompt: '' }, ...(sha256 ? { result: { sha256, bytes: 1 } } : {}) }] as const
    })
  })
  const items = bought.map(([state, result, isPicture], at) => ({ spec, state, result, id: `${at}`, animation: { ...walk, isPicture } }))
  const vault = { has: async (hash: string) => hash !== lost, read: async (hash: string) => bytesOf(`the vault's ${hash}`) }
  const context = { vault, options: { placeholders: { mark: isMarked } } } as unknown as Context
  const found = { items, lock: { version: 1, animations: {}, steps: Object.fromEntries(entries) } } as unknown as Survey
  const asked: string[] = []
  const readResult = async ({ id }: PlanItem): Promise<readonly Bitmap[]> => {
    asked.push(id)
    return []
  }
  const target = { requests: () => ({ steps }), ...(picture ? { picture: { sha256: picture, bytes: bytesOf(picture) } } : {}) }
  const item = { spec, animation: walk } as unknown as PlanItem
  const source = await createPlaceholderMaker(context, found, readResult).of(item, target as unknown as WantedAnimation)
  const bytes = await source.read()
  await source.readLike?.()
  return { ...source, from: bytes && new TextDecoder().decode(bytes), like: asked }
}

test.each<[what: string, drawn: Drawn, from: string | undefined]>([
  ['the picture file', { picture: 'p' }, 'p'],
  ['nothing', {}, undefined],
  ['the last step that is made', { picture: 'p', made: { x: ['one', 'two'] } }, "the vault's two"],
  ['the only step that is made', { picture: 'p', made: { x: ['one'] } }, "the vault's one"],
  ['the service that is farther', { made: { x: ['one'], y: [undefined, 'two'], z: ['three'] } }, "the vault's two"],
  ['the picture file while the step is lost', { picture: 'p', made: { x: ['one', 'two'] }, lost: 'two' }, 'p'],
  ['the picture file where no step is made', { picture: 'p', made: { x: [] } }, 'p'],
])('a placeholder is drawn from %s', async (_what, drawn, from) => {
  const found = await placeholderOf(drawn)
  expect([found.kind, found.from, found.isMarked]).toEqual(['placeholder', from, true])
})

test('a placeholder has another key for all that it is drawn from, and the words count only without a picture', async () => {
  const keyOf = async (drawn: Drawn): Promise<string> => (await placeholderOf(drawn)).sha256
  const other = { fields: { prompt: 'somebody else' } }
  const keys = await Promise.all([
    keyOf({}),
    keyOf(other),
    keyOf({ picture: 'p' }),
    keyOf({ picture: 'q' }),
    keyOf({ picture: 'p', made: { x: ['one'] } }),
    keyOf({ picture: 'p', isMarked: false }),
    keyOf({ picture: 'p', bought: [['bought', 'r']] }),
    keyOf({ picture: 'p', bought: [['bought', 's']] }),
  ])
  expect(new Set(keys).size).toBe(keys.length)
  expect(await keyOf({ picture: 'p', ...other })).toBe(keys[2])
  expect(await keyOf({ picture: 'q', made: { x: ['one'] } })).toBe(keys[4])
})

test('a placeholder is as large as the first bought one of its kind', async () => {
  const bought = [
    ['missing', 'a', false],
    ['bought', undefined, false],
    ['bought', 'b', true],
    ['bought', 'c', false],
    ['bought', 'd', false],
  ] as const
  const likes = [{ isPicture: false }, { isPicture: true }, {}].map(async (animation) => (await placeholderOf({ animation, bought })).like)
  expect(await Promise.all(likes)).toEqual([['3'], ['2'], []])
})

test('the words of a placeholder are those of what is drawn first, and of all steps of a picture', async () => {
  const chain = (...steps: readonly object[]) => ({ reference: { steps } })
  const [text, image, edit] = [{ text: 'a knight' }, { image: './a.png' }, { edit: 'with a hat' }]
  const wordsOf = async (fields: object, isPicture: boolean): Promise<string> =>
    (await placeholderOf({ fields, animation: { isPicture } })).prompt
  expect(await wordsOf({}, false)).toBe('a hero')
  expect(await wordsOf(chain(text, edit), false)).toBe('a knight\na hero')
  expect(await wordsOf(chain(image, edit), false)).toBe('a hero')
  expect(await wordsOf(chain(text, edit), true)).toBe('a knight\nwith a hat\na hero')
  expect(await wordsOf(chain(image, edit), true)).toBe('with a hat\na hero')
})

describe('what sheets are made of', () => {
  const animations = {
    walk: { frames: 7 },
    run: { frames: 7 },
    jump: { frames: 8, use: [0, 1], durations: [9, 9] },
    fly: { frames: 7, use: [1] },
  }
  const hero = parseSpec(
    JSON.stringify({ reference: './a.png', prompt: 'a hero', size: { figure: 32 }, animations }),
    '/game/hero.sprite.json',
  )
  const owl = parseSpec(JSON.stringify({ reference: './a.png', prompt: 'an owl', animations: { fly: {} } }), '/game/owl.sprite.json')
  const sequences = ['fly', 'sit'].map((name) => ({ name, sha256: `own ${name}`, read: async () => [] }))
  const drawn = { ...owl, name: 'art', art: { files: ['/game/art.png'], sequences } } as unknown as typeof owl
  const review = { frameCount: 7 } as unknown as NonNullable<PlanItem['review']>
  const [walk, run, jump, fly] = hero.animations.map((animation) => ({
    id: `hero.${animation.name}`,
    spec: hero,
    animation,
    state: 'missing',
  }))
  const bought = { ...walk, state: 'bought', result: 'w', review }
  const items = [
    bought,
    run,
    { ...jump, superseded: { sha256: 'j', frames: 7, review } },
    { ...fly, superseded: { sha256: 'f', frames: 7 } },
    { ...walk, id: 'owl.fly', spec: owl, animation: owl.animations[0] },
  ] as unknown as readonly PlanItem[]
  const found = (asked: readonly PlanItem[] = items): Survey => {
    const wanted = asked.map(() => ({ requests: () => ({ steps: [] }) }))
    const own = asked === items ? [{ id: 'art.sit', spec: drawn, animation: { ...owl.animations[0], name: 'sit' } }] : []
    return { items: asked, wanted, own, lock: { version: 1, animations: {} } } as unknown as Survey
  }
  const contextOf = (lost: readonly string[] = []): Context => {
    const disk = new MemoryDisk()
    for (const path of ['/game/hero.sprite.json', '/game/hero.frames/walk/0003.png', '/game/owl.frames/nobody.png'])
      disk.files.set(path, bytesOf(path))
    const vault = {
      has: async (hash: string) => !lost.includes(hash),
      read: async (hash: string) => (lost.includes(hash) ? undefined : bytesOf(hash)),
    }
    return { host: { disk }, vault, options: { placeholders: { mark: true } }, storeFolder: '/store' } as unknown as Context
  }

  test('is each animation with its pictures, those that set its scale, and the files that a change of it may be in', async () => {
    const faults: string[] = []
    const inputs = await toInputs(contextOf(), found(), 'placeholder', ({ code }) => faults.push(code))
    const shown = inputs.map(({ spec, animation, source, bases, peers, overrides, overridePaths }) => ({
      is: [spec.name, animation.name, source.kind, source.kind === 'placeholder' ? '' : source.sha256],
      play: [animation.frames, animation.use, animation.durations],
      bases: bases?.map((base) => base.animation.name),
      peers: peers?.map((peer) => peer.animation.name),
      overrides: overrides?.key.map(([frame]) => frame),
      paths: overridePaths,
    }))
    const ofHero = { peers: ['walk', 'jump', 'fly'], paths: ['/game/hero.frames', '/game/hero.frames/walk/0003.png'] }
    expect(shown).toEqual(
      [
        { ...ofHero, is: ['hero', 'walk', 'result', 'w'], play: [7], bases: [], overrides: [3] },
        { ...ofHero, is: ['hero', 'run', 'placeholder', ''], play: [7] },
        { ...ofHero, is: ['hero', 'jump', 'result', 'j'], play: [7], bases: ['walk'] },
        { ...ofHero, is: ['hero', 'fly', 'result', 'f'], play: [7, [1]], bases: ['walk', 'jump'] },
        { is: ['owl', 'fly', 'placeholder', ''], play: [owl.animations[0]!.frames], peers: [], paths: ['/game/owl.frames'] },
        { is: ['art', 'sit', 'own', 'own sit'], play: [owl.animations[0]!.frames], peers: ['sit'], paths: ['/game/art.png'] },
      ].map((one) => ({ bases: undefined, overrides: undefined, ...one, play: [...one.play, undefined, undefined].slice(0, 3) })),
    )
    expect(faults).toEqual(['SW_OVERRIDE'])
    await expect(toInputs(contextOf(), found(), 'placeholder')).rejects.toMatchObject({ code: 'SW_OVERRIDE' })
  })

  test('is an earlier purchase only while nothing is bought and its result is here, and never in place of an error', async () => {
    const [, , older, equal] = items as readonly [PlanItem, PlanItem, PlanItem, PlanItem]
    expect((await supersededInput(contextOf(), older))?.source).toMatchObject({ sha256: 'j', review, isSuperseded: true })
    expect((await supersededInput(contextOf(), equal))?.animation).toBe(equal.animation)
    expect(await supersededInput(contextOf(['j']), older)).toBeUndefined()
    const [again] = await toInputs(contextOf(), found([{ ...older, state: 'bought', result: 'new' }]), 'placeholder')
    expect(again).toMatchObject({ animation: { frames: 8 }, source: { sha256: 'new' } })
    for (const item of [older, { ...older, state: 'bought' as const }, items[1]!])
      await expect(toInputs(contextOf(), found([item]), 'error')).rejects.toMatchObject({
        code: 'SW_INTERNAL',
        message: `Expected "${item.id}" to be bought by now, found it ${item.state}. Please report this.`,
        facts: { id: item.id },
      })
    expect(() => resultSource(contextOf(), older)).toThrow('Expected "hero.jump" to be bought by now')
  })

  test('is no purchase that is lost, and has its palette among its files; a folder that cannot be read is told', async () => {
    const painted = { ...owl, paletteFile: { path: '/game/owl.gpl' } } as unknown as typeof owl
    const item = { ...items[4]!, spec: painted, state: 'lost' as const, result: 'w' }
    const [input] = await toInputs(contextOf(), found([item]), 'placeholder', () => {})
    expect([input?.source.kind, input?.overridePaths]).toEqual(['placeholder', ['/game/owl.frames', '/game/owl.gpl']])
    const context = contextOf()
    context.host.disk.list = () => Promise.reject(new Error('away'))
    await expect(toInputs(context, found(), 'placeholder', () => {})).rejects.toThrow('away')
    const atlas = { maxSize: 512 }
    const optionsOf = (textures?: object): object => sheetOptions({ options: { atlas }, textures } as unknown as Context)
    expect([optionsOf(), optionsOf({ version: '2' })]).toEqual([atlas, { ...atlas, encoder: '2' }])
  })

  test('is read from the vault, and a damaged result is told with its name', async () => {
    const item = items[0] as PlanItem
    expect(resultSource(contextOf(), item)).toMatchObject({ kind: 'result', sha256: 'w', review })
    expect(await resultSource(contextOf(), item).read()).toEqual(bytesOf('w'))
    await expect(resultSource(contextOf(['w']), item).read()).rejects.toMatchObject({
      code: 'SW_VAULT',
      message:
        'The paid result of "hero.walk" was damaged and has been set aside in "/store/quarantine". npx spritewright build fetches it again from the service, for free. To look at all results: npx spritewright store verify',
      facts: { id: 'hero.walk', result: 'w' },
    })
  })
})
