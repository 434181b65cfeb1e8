import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { animatedInfo, createBitmap, encodePng, readAnimated, readArchive, readDelivery } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import type { Makers } from '../../src/embedded/options/options.ts'
import { heroSpec } from '../kit/project.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { approveAll, world } from '../money/world.ts'

/** Frames of 192 × 192 pixels that no encoder can make small, in the number that was asked for. */
const noisy: Makers = {
  ...rememberedMakers,
  sheet: async (request, prompt, tools) => {
    const made = await rememberedMakers.sheet(request, prompt, tools)
    if ('reason' in made) return made
    let seed = 1
    const frames = readDelivery(readArchive(made.bytes)).frames.map(() => {
      const frame = createBitmap(192, 192)
      // A linear congruential generator: Numerical Recipes.
      for (let at = 0; at < frame.data.length; at++) {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
        frame.data[at] = seed >>> 24
      }
      return frame
    })
    const { zip } = await packDelivery(frames, tools.names)
    return { ...made, bytes: zip }
  },
}

test('a large noisy change is at most 400 kB, and keeps its time', async () => {
  const spec = (prompt: string): string =>
    JSON.stringify({ ...JSON.parse(heroSpec()), animations: { walk: { frames: 30, fps: 10, prompt, yoyo: true } } })
  const { workshop, project } = await world({ makers: noisy }, spec('walks'))
  const first = await workshop()
  await approveAll(first)
  await first.build({ buyOnly: true })
  await project.write('sprites/hero.sprite.json', spec('runs'))
  const changed = await workshop()
  await approveAll(changed)
  await changed.build({ buyOnly: true })
  const [walk] = await changed.planPictures()
  expect(walk!.change!.shows).toEqual(['before', 'after', 'onion'])
  expect(walk!.change!.bytes.length).toBeLessThanOrEqual(400_000)
  const { durations } = await animatedInfo(walk!.change!.bytes)
  expect(durations.reduce((sum, ms) => sum + ms, 0)).toBe(58 * 100)
  const [picture] = await readAnimated(walk!.change!.bytes)
  expect(picture!.width).toBeGreaterThan(3 * 48)
})

test('with a remote, only what was bought since its default branch is shown, and a picture beside own art too', async () => {
  const { workshop, project } = await world({}, heroSpec(['walk', 'idle']))
  const badge = (text: string): string => JSON.stringify({ reference: { steps: [{ text }] } })
  await project.write('sprites/badge.sprite.json', badge('a brass badge'))
  await project.write('art/ui.sprite.json', '{ "source": "./ui.png" }')
  await project.write('art/ui.png', encodePng(createBitmap(8, 8)))
  const buy = async (): Promise<void> => {
    const open = await workshop()
    await approveAll(open)
    await open.build({ buyOnly: true })
  }
  const changeHero = (name: string, prompt: string): Promise<void> =>
    project.write(
      'sprites/hero.sprite.json',
      JSON.stringify({ ...JSON.parse(heroSpec()), animations: { [name]: { frames: 7, prompt }, idle: {} } }),
    )
  await buy()
  await changeHero('walk', 'limps')
  await buy()
  const shown = async (): Promise<unknown> => (await (await workshop()).planPictures()).map(({ id, change }) => [id, change?.shows])
  expect(await shown()).toEqual([
    ['hero.walk', ['before', 'after', 'onion']],
    ['hero.idle', ['before', 'after', 'onion']],
  ])
  const git = (...call: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...call], { cwd: project.root })
  git('init', '-q')
  git('add', 'sprites.lock.json')
  git('commit', '-qm', 'base')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  expect(await shown()).toEqual([])
  await changeHero('run', 'runs')
  await project.write('sprites/badge.sprite.json', badge('a silver badge'))
  await buy()
  expect(await shown()).toEqual([
    ['badge', ['before', 'after', 'onion']],
    ['hero.run', ['after']],
  ])
})
