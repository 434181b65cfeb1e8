import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { readOnly } from '../kit/guarded-disk.ts'
import { answering, type Machine, minutes, places, refusal, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** Longer than the service remembers a key, so a second POST is charged again. */
const aDay = 25 * 60 * minutes

describe('a result that is damaged or gone', () => {
  const path = (machine: Machine): string => [...machine.disk.files.keys()].find((one) => one.startsWith(`${places.results}/`)) ?? ''

  test('by a flipped bit: the build that reads it sets it aside and fetches it again, and nothing is sent', async () => {
    const { first, posts, wait } = await team()
    await first.approve()
    await first.build()
    await wait(aDay)
    const [place, whole] = [path(first), first.disk.files.get(path(first)) as Uint8Array]
    first.disk.files.set(
      place,
      whole.map((byte, index) => (index === 9 ? byte ^ 1 : byte)),
    )
    // The sheets of this world are no archives. That is found once the result is whole again.
    await expect((await first.open()).build()).rejects.toMatchObject({ code: 'SW_DELIVERY' })
    expect([...first.disk.files.keys()].filter((one) => one.includes('/quarantine/'))).toHaveLength(1)
    expect(first.disk.files.get(place)).toEqual(whole)
    expect(posts()).toBe(1)
  })

  test('is not forgotten at the service: that has the last copy', async () => {
    const { first, clone, run, posts, world } = await team()
    await first.approve()
    await first.build()
    // The other machine knows the result by its lock file alone.
    for (const machine of [first, clone(first, 'results')]) {
      machine.disk.files.set(path(machine), new Uint8Array(3))
      await expect(run((await machine.open()).forget('hero', async () => true))).rejects.toMatchObject({
        code: 'SW_VAULT',
        message: expect.stringContaining('"hero.walk" is damaged or gone here'),
        facts: { id: 'hero.walk', result: first.entry('hero.walk').result?.sha256 },
      })
    }
    expect(world.service.requests().filter(({ method }) => method === 'DELETE')).toEqual([])
    await first.build()
    expect(first.results()).toEqual([sheetOf('a knight walk')])
    expect(posts()).toBe(1)
  })
})

const { results } = places
const journals = `${places.state}/journals`

/** Four sprites, approved. */
async function four(service: EmbeddedOptions = {}): Promise<Team> {
  const made = await team(service)
  for (const name of ['mage', 'rogue', 'thief']) made.first.write(`sprites/${name}.sprite.json`, specOf(`a ${name}`, 'hero'))
  await made.first.approve()
  return made
}
/** Folders outside the project in which a machine has a sheet. */
function keptElsewhere({ disk }: Machine): readonly string[] {
  const isSheet = (bytes: Uint8Array): boolean => new TextDecoder().decode(bytes).startsWith('PK sheet')
  return [...disk.files].flatMap(([path, bytes]) =>
    !path.startsWith('/game/') && isSheet(bytes) ? [path.slice(0, path.lastIndexOf('/'))] : [],
  )
}
/** Folders become read-only as soon as a download is about to start. */
function closing(made: Team, closed: Set<string>, folders: readonly string[]): { readonly guard: ReturnType<typeof readOnly> } {
  const isDownload = (): boolean => made.first.records().some(({ type }) => type === 'completed')
  const guard = readOnly(closed)
  return {
    guard: (call) => {
      if (isDownload()) for (const folder of folders) closed.add(folder)
      return guard(call)
    },
  }
}
const atOnce = { options: { limits: { activeJobs: 1 } } }
/** The last line that a person sees. */
const lastLine = (error: unknown): string => (error as Error).message.split('\n').at(-1) ?? ''

describe('a results folder that cannot be written', () => {
  test('from the beginning: nothing is sent', async () => {
    const { first, posts } = await four()
    await expect(first.build({}, { guard: readOnly(new Set([results])) })).rejects.toMatchObject({ code: 'EROFS' })
    expect(posts()).toBe(0)
  })

  test('nor is a submission sent again that was refused for certain, and so would be the first', async () => {
    const { first, posts } = await team(answering([refusal(401, 'authentication_failed')]))
    await first.approve()
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_KEY_REFUSED' })
    await expect(first.build({}, { guard: readOnly(new Set([results])) })).rejects.toMatchObject({ code: 'EROFS' })
    expect(posts()).toBe(1)
  })

  test('from the first download on: it is kept in the state folder, the last line says where, and nothing more is bought', async () => {
    const made = await four()
    const { first, posts, charged } = made
    const error = await first.build({}, { ...atOnce, ...closing(made, new Set(), [results]) }).catch((one: unknown) => one)
    const [place, ...more] = keptElsewhere(first)
    expect([place, more, posts()]).toEqual([expect.stringMatching(new RegExp(`^${journals}/[0-9a-f]{16}/results$`)), [], 1])
    expect(lastLine(error)).toMatch(new RegExp(`kept in ${place}$`))
    expect(error).toMatchObject({ code: 'SW_DISK', facts: { rescued: [place] } })
    // The folder is writable again. The next build brings the result home, and buys the rest.
    await first.build()
    expect(first.results()).toHaveLength(4)
    expect([posts(), charged().length]).toEqual([4, 4])
  })

  test('as the state folder: it is kept in the folder for temporary files', async () => {
    const made = await four()
    const { first, posts } = made
    const error = await first.build({}, { ...atOnce, ...closing(made, new Set(), [results, journals]) }).catch((one: unknown) => one)
    const [place, ...more] = keptElsewhere(first)
    expect([place, more, posts()]).toEqual([expect.stringMatching(new RegExp(`^${places.temp}/spritewright-[0-9a-f]{16}$`)), [], 1])
    expect(lastLine(error)).toMatch(new RegExp(`kept in ${place}$`))
    await first.build()
    expect([first.results().length, posts()]).toEqual([4, 4])
  })

  test('as any other: the error says that it is still at the service, and the next build fetches it for free', async () => {
    const made = await four()
    const { first, posts } = made
    const folders = [results, journals, places.temp]
    const building = first.build({}, { ...atOnce, ...closing(made, new Set(), folders) })
    await expect(building).rejects.toMatchObject({ code: 'SW_DISK', message: expect.stringContaining('It is still at the service') })
    expect([keptElsewhere(first), posts()]).toEqual([[], 1])
    await made.wait(aDay)
    await first.build()
    expect([first.results().length, posts()]).toEqual([4, 4])
  })

  test('with one sprite to buy: the build says where it is', async () => {
    const made = await team()
    const { first, posts } = made
    await first.approve()
    const closed = new Set<string>()
    const { warnings } = await first.build({}, closing(made, closed, [results]))
    const [place] = keptElsewhere(first)
    expect(warnings.at(-1)).toContain(`It is kept in ${place}`)
    closed.clear()
    expect((await first.build()).warnings).toEqual([])
    expect([first.results(), posts()]).toEqual([[sheetOf('a knight walk')], 1])
  })

  test('a build that finds what an earlier one kept elsewhere uses it, though nothing can be brought home yet', async () => {
    const made = await team()
    const { first, posts } = made
    await first.approve()
    await first.build({}, closing(made, new Set(), [results]))
    const { warnings } = await first.build({ frozen: true }, { guard: readOnly(new Set([results])) })
    expect(warnings).toEqual([
      `The result of "hero.walk" is not in ${results}, which takes no more files. Make room and build again. It is kept in ${keptElsewhere(first)[0]}`,
    ])
    // To read the states brings it home, so it comes last.
    expect(await first.states()).toEqual(['bought'])
    expect(posts()).toBe(1)
  })
})
